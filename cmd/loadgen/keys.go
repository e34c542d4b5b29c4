package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/engine/nearest"
	"loadgen/scenarios"
)

const encodeHelp = `Encode prints the key that a template forms from values. It rejects text for a padded
number or a time, numbers wider than their padding, which would sort before smaller ones,
and keys that tables reject.`

const decodeHelp = `Decode prints a line for each key: its attributes, separated by tabs. If a placeholder
keeps less than the value, as hash(user,16) and at:hour do, it prints the placeholder's
part. If a key does not match the template, or matches in two ways, decode fails without
output.`

// newKeys returns the verb that forms keys, and reads them back.
func newKeys(stdout io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "keys",
		Short: "Encode keys with a template, and decode them",
		Long: `Keys forms the keys of a design and decodes keys: numbers with leading zeros, ticks that
count down so that the latest comes first. A template is like one of a scenario, such as
{event}__{bib:05d} or {at:inverted}.`,
		Example: `  loadgen keys encode '{at:inverted}' at=2026-11-01T15:04:05Z   # ticks to the year 9999, as D19
  loadgen keys decode '{at:inverted}' 2516087553549999999       # back to the time`,
		RunE: helpOrUnknown, Args: cobra.ArbitraryArgs,
	}
	encode := &cobra.Command{
		Use:   "encode TEMPLATE [ATTRIBUTE=VALUE...]",
		Short: "Form a key of values",
		Long:  encodeHelp,
		Example: `  loadgen keys encode '{event}__{bib:05d}' event=paris bib=42   # paris__00042
  loadgen keys encode '{at:inverted}' at=2026-11-01T15:04:05Z`,
		Args: takes(1, mostKeys, "a template and its attributes' values, as in '{event}__{bib:05d}' event=paris bib=42, and got %d"),
		RunE: func(_ *cobra.Command, args []string) error {
			given := map[string]string{}
			for _, arg := range args[1:] {
				name, value, some := strings.Cut(arg, "=")
				if _, twice := given[name]; !some || name == "" || twice {
					return usageError{fmt.Errorf("%s: expected the name of an attribute, = and its value, each once", nearest.Shown(arg))}
				}
				given[name] = value
			}
			key, err := scenarios.EncodeKey(args[0], given)
			if err != nil {
				return usageError{err}
			}
			_, err = fmt.Fprintln(stdout, key)
			return err
		},
	}
	decode := &cobra.Command{
		Use:   "decode TEMPLATE KEY...",
		Short: "Tell what the parts of keys stand for",
		Long:  decodeHelp,
		Example: `  loadgen keys decode '{event}__{bib:05d}' paris__00042
  loadgen keys decode '{at:inverted}' 2516087553549999999`,
		Args: takes(2, mostKeys, "a template and the keys that were formed by it, as in '{event}__{bib:05d}' paris__00042, and got %d"),
		RunE: func(_ *cobra.Command, args []string) error {
			var lines strings.Builder
			for _, key := range args[1:] {
				values, err := scenarios.DecodeKey(args[0], key)
				if err != nil {
					return usageError{err}
				}
				lines.WriteString(strings.Join(values, "\t") + "\n")
			}
			_, err := io.WriteString(stdout, lines.String())
			return err
		},
	}
	c.AddCommand(encode, decode)
	return c
}

// mostKeys is how many arguments a command line of keys has at most.
const mostKeys = 10_000
