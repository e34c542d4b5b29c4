//go:build ci

package laboratory_test

import "testing"

func TestLostInHandOversOfEveryLength(t *testing.T) { lostInAHandOver(t, 2*s, 5*s, 10*s, 20*s) }
