package wire

// The headers by which a client of this module asks an engine of this module
// how many entities a request counted; no other service knows them. The request
// names what it wants to know, the reply has a decimal number.
const (
	AskHeader     = "X-Loadgen-Ask"
	AskCounted    = "counted"
	CountedHeader = "X-Loadgen-Counted"
)
