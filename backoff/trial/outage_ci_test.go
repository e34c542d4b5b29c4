//go:build ci

package trial_test

import "testing"

func TestLostInHandOversOfEveryLength(t *testing.T) { checkHandOvers(t, 2*s, 5*s, 10*s, 20*s) }
