//go:build live

package main

import (
	"slices"
	"testing"
	"time"
)

// Whole scenarios that use queues and blobs come, behind a socket and in real time, to
// what they claim of what they leave behind.
func TestStoresLive(t *testing.T) {
	for _, s := range furnished(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			record := asLive(t, s, t.TempDir(), curtailed(s, 10*time.Second)...)
			if !slices.Contains(s.Expect, "violations == 0") {
				return
			}
			leftSound(t, record)
		})
	}
}
