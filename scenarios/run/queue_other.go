//go:build !linux

package run

import "time"

// queue tells nothing here of who waits for a CPU.
type queue struct{}

func (queue) read() *time.Duration { return nil }

func pressure() *time.Duration { return nil }
