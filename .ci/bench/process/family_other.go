//go:build !unix

package process

import "time"

// Family is not told here.
func Family() time.Duration { return 0 }
