//go:build ci

package main

import (
	"testing"
	"testing/synctest"
	"time"
)

// With the engine in process there are queues and blobs beside it.
func TestStandInsBesideTheEngine(t *testing.T) {
	for _, s := range ofEachKind(furnished(t)) {
		folder := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			asLive(t, s, folder, append(curtailed(s, time.Second), "--target", targetInProcess)...)
		})
	}
}
