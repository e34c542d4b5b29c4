package durable_test

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/store/durable"
	"loadgen/results/resultstest"
)

// A folder that will not do is refused in one line that says why, and is left as it is.
func TestFoldersThatWillNotDo(t *testing.T) {
	const marker = "loadgen-tables.json"
	write := func(name, text string) func(*testing.T, string) {
		return func(t *testing.T, folder string) {
			require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
		}
	}
	made := func(then func(*testing.T, string)) func(*testing.T, string) {
		return func(t *testing.T, folder string) {
			s := opened(t, durable.Options{Folder: folder, Account: "races"})
			s.CreateTable(table)
			insert := entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "p", Row: "1"}}
			require.Equal(t, entity.OK, s.Apply(table, &insert, start).Code)
			closed(t, s)
			then(t, folder)
		}
	}
	for _, row := range []struct {
		name    string
		prepare func(*testing.T, string)
		want    error
		says    string
	}{
		{"a folder of something else", write("notes.txt", "mine"), durable.ErrForeign, "files of something else"},
		{"a folder that is marked as nothing", write(marker, "{}"), durable.ErrDamaged, "does not say what it is"},
		{"a folder of a newer version", made(write(marker, `{"format":"loadgen tables","version":2,"account":"races"}`)), durable.ErrNewer, "format 2, and this one reads 1"},
		{"a folder of another account", made(write(marker, `{"format":"loadgen tables","version":1,"account":"clubs"}`)), durable.ErrAccount, `"clubs", expected "races"`},
		{"a folder whose manifest is gone", made(alter("MANIFEST-*", os.Remove)), durable.ErrDamaged, "damaged"},
		{"a folder whose manifest is cut", made(damage("MANIFEST-*", 20)), durable.ErrDamaged, "damaged"},
		{"a folder whose tables are altered", made(damage("*.sst", 30)), durable.ErrDamaged, "damaged"},
		{"a folder of a newer log-structured store", made(alter("marker.format-version.*", func(name string) error {
			return os.Rename(name, filepath.Join(filepath.Dir(name), "marker.format-version.000099.099"))
		})), durable.ErrNewer, "newer"},
		{"a folder of an older log-structured store", made(alter("marker.format-version.*", func(name string) error {
			return os.Rename(name, filepath.Join(filepath.Dir(name), "marker.format-version.000001.005"))
		})), durable.ErrOlder, "too old"},
		{"a folder whose list of logs is no list", made(write("loadgen-logs.json", "{")), durable.ErrDamaged, "no list of logs"},
	} {
		t.Run(row.name, func(t *testing.T) {
			folder := t.TempDir()
			row.prepare(t, folder)
			_, unlocked := os.Stat(filepath.Join(folder, "LOCK"))
			_, err := durable.Open(durable.Options{Folder: folder, Account: "races"})
			require.ErrorIs(t, err, row.want)
			assert.Contains(t, err.Error(), row.says)
			assert.NotContains(t, err.Error(), "\n")
			if unlocked != nil {
				assert.NoFileExists(t, filepath.Join(folder, "LOCK"))
			}
		})
	}
}

// A log that is altered before its end is damaged; what comes after is not forgotten
// instead.
func TestAnAlteredLogIsDamaged(t *testing.T) {
	files := vfs.NewCrashableMem()
	o := durable.Options{Folder: "data", Account: "races", Sync: true, FS: files}
	s := opened(t, o)
	defer s.Close()
	s.CreateTable(table)
	for i := range 1000 {
		c := entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "p", Row: fmt.Sprint(i)},
			Properties: []entity.Property{{Name: "Text", Value: entity.String(strings.Repeat("x", 200))}}}
		if got := s.Apply(table, &c, start); got.Code != entity.OK {
			t.Fatal(got)
		}
	}
	for _, at := range []int64{40, 50_000, 100_000} {
		crashed := files.CrashClone(vfs.CrashCloneCfg{})
		names, err := crashed.List("data")
		require.NoError(t, err)
		for _, name := range names {
			if !strings.HasSuffix(name, ".log") {
				continue
			}
			f, err := crashed.OpenReadWrite("data/"+name, vfs.WriteCategoryUnspecified)
			require.NoError(t, err)
			var b [1]byte
			if _, err := f.ReadAt(b[:], at); err != nil {
				continue
			}
			b[0] ^= 0xFF
			_, err = f.WriteAt(b[:], at)
			require.NoError(t, err)
			_ = f.Close()
		}
		o.FS = crashed
		_, err = durable.Open(o)
		assert.ErrorIsf(t, err, durable.ErrDamaged, "a log that is altered at byte %d", at)
	}
}

// A crash leaves several logs; without one of them, the oldest, a middle or the last one, the folder is refused.
func TestMissingLogIsDamage(t *testing.T) {
	files := vfs.NewCrashableMem()
	o := durable.Options{Folder: "data", Account: "races", Sync: true, FS: files, MemTableBytes: 256 << 10}
	s := opened(t, o)
	defer s.Close()
	s.CreateTable(table)
	number, crashed, logs := 0, files, []string(nil)
	for len(logs) < 2 {
		for range 20 {
			number++
			c := entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "p", Row: fmt.Sprint(number)},
				Properties: []entity.Property{{Name: "Text", Value: entity.String(strings.Repeat("x", 2000))}}}
			require.Equal(t, entity.OK, s.Apply(table, &c, start).Code)
		}
		crashed = files.CrashClone(vfs.CrashCloneCfg{})
		text := readAll(t, crashed, "data/loadgen-logs.json")
		require.NoError(t, json.Unmarshal(text, &logs))
		require.Less(t, number, 100_000)
	}
	for _, missing := range append(logs, "") {
		o.FS = crashed.CrashClone(vfs.CrashCloneCfg{})
		if missing != "" {
			require.NoError(t, o.FS.Remove("data/"+missing))
		}
		after, err := durable.Open(o)
		if missing != "" {
			require.ErrorIs(t, err, durable.ErrDamaged)
			assert.Contains(t, err.Error(), missing)
			continue
		}
		require.NoError(t, err)
		assert.EqualValues(t, number, after.Count(table))
		closed(t, after)
	}
}

func readAll(t *testing.T, files durable.FS, name string) []byte {
	f, err := files.Open(name)
	require.NoError(t, err)
	text, err := io.ReadAll(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return text
}

// alter has a file of a folder, one that fits a pattern, altered.
func alter(pattern string, how func(name string) error) func(*testing.T, string) {
	return func(t *testing.T, folder string) {
		names, err := filepath.Glob(filepath.Join(folder, pattern))
		require.Truef(t, err == nil && len(names) != 0, "%s has no %s: %v", folder, pattern, err)
		require.NoError(t, how(names[len(names)-1]))
	}
}

// damage turns the bits of a byte.
func damage(pattern string, at int) func(*testing.T, string) {
	return alter(pattern, func(name string) error {
		text, err := os.ReadFile(name)
		if err == nil {
			text[at] ^= 0xFF
			err = os.WriteFile(name, text, 0o600)
		}
		return err
	})
}

func TestAFileIsNoFolder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, nil, 0o600))
	_, err := durable.Open(durable.Options{Folder: name})
	assert.ErrorIs(t, err, durable.ErrNoFolder)
	_, err = durable.Open(durable.Options{Folder: filepath.Join(name, "data")})
	assert.ErrorAs(t, err, new(*fs.PathError), "Open beneath a file")
}

func TestAFolderIsUsedOnce(t *testing.T) {
	o := durable.Options{Folder: filepath.Join(t.TempDir(), "made", "anew"), Account: "races"}
	s := opened(t, o)
	_, err := durable.Open(o)
	assert.ErrorIs(t, err, durable.ErrInUse)
	closed(t, s)
	closed(t, opened(t, o))
}

// Whatever fails while a folder is opened, on a full disk or one that is read alone, is
// said in one line, and the folder can be opened once there is room.
func TestOpeningOnABadDisk(t *testing.T) {
	for _, row := range []struct {
		name string
		err  error
	}{
		{"full", syscall.ENOSPC}, {"read-only", syscall.EROFS}, {"broken", syscall.EIO},
	} {
		met := 0
		for after := range int64(resultstest.Cases(60, 200, 200)) {
			d := &disk{err: row.err}
			for kind := errorfs.OpCreate; kind <= errorfs.OpFileFlush; kind++ {
				if kind.ReadOrWrite() == errorfs.OpIsWrite && kind != errorfs.OpFileClose && kind != errorfs.OpFilePreallocate && kind != errorfs.OpRemove {
					d.kinds = append(d.kinds, kind)
				}
			}
			d.left.Store(after)
			files := vfs.NewMem()
			o := durable.Options{Folder: "data", Account: "races", FS: errorfs.Wrap(files, d.injector())}
			s, err := durable.Open(o)
			if err == nil {
				d.left.Store(never)
				require.Truef(t, s.Err() != nil || !d.met.Load(),
					"%s disk after %d: neither Open nor the store has an error", row.name, after)
				_ = s.Close()
				break
			}
			met++
			require.ErrorIsf(t, err, row.err, "%s disk after %d", row.name, after)
			require.NotContains(t, err.Error(), "\n")
			o.FS = files
			closed(t, opened(t, o))
		}
		assert.GreaterOrEqualf(t, met, 10, "%s disk: times that Open has failed", row.name)
	}
}

// Names of deleted tables are there after the next start, for as long as they were to be.
func TestDeletedNamesLast(t *testing.T) {
	files := vfs.NewMem()
	s := on(t, files, false)
	for _, name := range []string{"Early", "Late", "Free", "Back"} {
		s.CreateTable(name)
	}
	s.DeleteTable("Early", start, start+10)
	s.DeleteTable("Free", start, start)
	s.DeleteTable("Back", start, start+50)
	s.CreateTable("BACK")
	s.DeleteTable("Late", start+20, start+60)
	closed(t, s)
	s = on(t, files, false)
	// Early is over, free was never kept, back is a table again.
	assert.Equal(t, map[string]entity.Ticks{"late": start + 60}, s.Deleted())
	assert.Equal(t, []string{"BACK"}, s.TableNames())
}
