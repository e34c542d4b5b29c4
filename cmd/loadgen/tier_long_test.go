//go:build long

package main

// fleetStarts is how many times three processes begin together.
const fleetStarts = 20
