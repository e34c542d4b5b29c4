//go:build ci

package listen_test

// cuts is in how many ways each row is cut into pieces.
const cuts = 300
