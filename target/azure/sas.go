package azure

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"
)

// sas is a shared access signature. Printing it shows no part of it.
type sas struct {
	// query is part of each URL, unchanged, since its values are signed.
	query string
	// shows are the forms of the signature that a text could repeat.
	shows []string
	// table is the only table that it allows, empty for an account's signature.
	table string
	// starts and expires are zero if unknown.
	starts, expires time.Time
}

// redacted replaces secrets.
const redacted = "(secret)"

// parseSAS reads the query string of a shared access signature.
func parseSAS(text string) (*sas, bool) {
	query := strings.TrimPrefix(strings.TrimSpace(text), "?")
	if !visible(query) || strings.Contains(query, "#") {
		return nil, false
	}
	values, err := url.ParseQuery(query)
	if err != nil || values.Get("sig") == "" {
		return nil, false
	}
	s := &sas{query: query, table: values.Get("tn"),
		starts: sasTime(values.Get("st")), expires: sasTime(values.Get("se"))}
	s.shows = append(s.shows, query)
	for pair := range strings.SplitSeq(query, "&") {
		if raw, found := strings.CutPrefix(pair, "sig="); found {
			s.shows = append(s.shows, raw)
		}
	}
	signature := values.Get("sig")
	s.shows = append(s.shows, signature, url.QueryEscape(signature), url.PathEscape(signature))
	return s, true
}

// Format hides the signature, whatever the verb.
func (s *sas) Format(state fmt.State, _ rune) { io.WriteString(state, redacted) }

// sasTime parses the times of signatures; zero for any other text.
func sasTime(text string) time.Time {
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04Z", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}
