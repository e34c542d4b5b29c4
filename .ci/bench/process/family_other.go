//go:build !unix

package process

import "time"

// Family is unknown here.
func Family() time.Duration { return 0 }
