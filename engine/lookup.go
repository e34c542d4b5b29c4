package engine

// HasTable reports whether an account has a table of that name, in whatever
// case. It is no request: nothing is charged or counted for it.
func (e *Engine) HasTable(account, table string) bool {
	a, known := e.accounts[account]
	return known && a.store.HasTable(table)
}
