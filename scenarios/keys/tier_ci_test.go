//go:build ci || long

package keys_test

// drawn is how many times as many cases are drawn as in a plain test.
const drawn = 4
