//go:build !ci && !long

package keys_test

// drawn is how many times as many cases are drawn as in a plain test: more with -tags ci.
const drawn = 1
