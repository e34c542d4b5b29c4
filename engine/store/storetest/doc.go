// Package storetest is the suite that every store of tables passes: what each request
// means, alone and beside others, and a randomised comparison with a map.
//
// A test of a store calls [Conformance] and [Model] with what opens one that is empty.
package storetest
