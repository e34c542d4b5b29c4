package advise

// OrderOf returns how new PartitionKeys come under the design in use, in a word, as
// [Spread] has it: of the phase with the most inserts, empty where nothing is inserted.
// Its error is that of a scenario which cannot be run.
func OrderOf(o Options) (string, error) {
	d, _, err := o.design(o.Scenario.Use)
	if err != nil {
		return "", err
	}
	order, most := "", 0.0
	for _, l := range d.Loads {
		if l.Inserts > most {
			order, most = l.Keys.Order, l.Inserts
		}
	}
	return order, nil
}
