//go:build ci

package capture_test

import "testing"

func TestMemoryDoesNotGrowWithAMillion(t *testing.T) { memoryDoesNotGrow(t, 1_000_000) }
