//go:build !ci

package suggest_test

// streams is how many streams are drawn whose inserts outweigh all else; more with -tags ci.
const streams = 15
