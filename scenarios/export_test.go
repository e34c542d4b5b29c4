package scenarios

// SearchIn returns those of some scenarios that speak of something.
var SearchIn = search
