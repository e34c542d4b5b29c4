package durable_test

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/store/durable"
	"loadgen/engine/store/storetest"
	"loadgen/results/resultstest"
)

var _ engine.Store = (*durable.Store)(nil)

// opened opens a store, which has to be possible.
func opened(t testing.TB, o durable.Options) *durable.Store {
	t.Helper()
	s, err := durable.Open(o)
	require.NoError(t, err, "Open")
	return s
}

// closed closes a store, which has to be possible, and more than once.
func closed(t testing.TB, s *durable.Store) {
	t.Helper()
	assert.NoError(t, s.Close(), "Close")
}

// on opens a store on a file system, which the test closes at its end unless it is closed
// by then.
func on(t testing.TB, fs vfs.FS, sync bool) *durable.Store {
	t.Helper()
	s := opened(t, durable.Options{Folder: "data", Account: "races", Sync: sync, FS: fs})
	t.Cleanup(func() { closed(t, s) })
	return s
}

func inMemory(sync bool) storetest.Opener {
	return func(t testing.TB) engine.Store { return on(t, vfs.NewMem(), sync) }
}

func TestConformance(t *testing.T) {
	for _, sync := range []bool{true, false}[:resultstest.Cases(1, 2, 2)] {
		t.Run(fmt.Sprint("sync ", sync), func(t *testing.T) { storetest.Conformance(t, inMemory(sync)) })
	}
}

// The store is closed and opened anew now and then.
func TestAgainstMap(t *testing.T) {
	fs := map[engine.Store]vfs.FS{}
	open := func(t testing.TB) engine.Store {
		files := vfs.NewMem()
		s := on(t, files, len(fs)%2 == 0)
		fs[s] = files
		return s
	}
	again := func(s engine.Store) engine.Store {
		closed(t, s.(*durable.Store))
		anew := on(t, fs[s], len(fs)%2 == 0)
		fs[anew] = fs[s]
		return anew
	}
	storetest.Model(t, resultstest.Cases(3, 24, 200), open, again)
}
