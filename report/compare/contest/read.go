package contest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"loadgen/results"
)

// File is the name of the file in the folder of a contest that holds it.
const File = "contest.json"

// ErrFile is wrapped where a text holds no contest.
var ErrFile = errors.New("it holds no contest")

// MostBytes bounds the text of a contest, and mostRanked how many designs it has.
const (
	MostBytes  = 16 << 20
	mostRanked = 1000
)

// Read returns the contest that a text of JSON holds, as it was written. Its error is one
// line and wraps [ErrFile].
func Read(text []byte) (*Contest, error) {
	if len(text) > MostBytes {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrFile, MostBytes)
	}
	c := new(Contest)
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(c); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrFile, results.OneLine(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something follows it", ErrFile)
	}
	if err := c.sound(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	return c, nil
}

// sound returns what keeps a contest from being one that [Rank] has made.
func (c *Contest) sound() error {
	states := []string{results.Holds, results.DoesNotHold, results.CannotTell}
	switch {
	case c.Verdict == "":
		return errors.New("it has no verdict")
	case !slices.Contains(states, c.State):
		return fmt.Errorf("its state is %.40q; expected one of %q", c.State, states)
	case len(c.Ranking) > mostRanked:
		return fmt.Errorf("it ranks %d designs; expected %d at most", len(c.Ranking), mostRanked)
	case c.Winner != nil && (len(c.Ranking) == 0 || c.Ranking[0].Design != *c.Winner):
		return errors.New("its winner is not the first of its ranking")
	}
	for i := range c.Ranking {
		one := &c.Ranking[i]
		for _, check := range one.Expected {
			if check.Held < 0 || check.Held > check.Runs || check.Untold < 0 {
				return fmt.Errorf("a check of the design %.40q held in %d of %d runs", one.Design, check.Held, check.Runs)
			}
		}
	}
	return nil
}
