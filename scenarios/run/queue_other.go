//go:build !linux

package run

import "time"

// queue knows nothing on this system.
type queue struct{}

func (queue) read() *time.Duration { return nil }

func pressure() *time.Duration { return nil }
