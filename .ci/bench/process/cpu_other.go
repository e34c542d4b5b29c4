//go:build !linux && !darwin

package process

import "time"

func cpuOf(int) (time.Duration, error) { return 0, ErrUntold }

func memoryOf(int) (int64, error) { return 0, ErrUntold }

// Busy is unknown here.
func Busy() (time.Duration, bool) { return 0, false }
