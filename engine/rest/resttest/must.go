package resttest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Must returns the value of a call that must not fail, as in Must(os.ReadFile(name))(t).
func Must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		require.NoError(t, err)
		return value
	}
}
