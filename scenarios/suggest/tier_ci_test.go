//go:build ci

package suggest_test

// streams is how many streams are drawn whose inserts outweigh all else.
const streams = 50
