//go:build ci

package rest_test

// cuts is in how many ways each row is cut into pieces.
const cuts = 300
