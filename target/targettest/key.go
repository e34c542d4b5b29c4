package targettest

import "loadgen/engine/entity"

func addKeys(add func(string, func(*script))) {
	add("odd RowKeys are kept apart and in the order of UTF-16", func(s *script) {
		oddKeys(s, func(part string) entity.Key { return row(part) })
	})
	add("odd PartitionKeys are kept apart and in the order of UTF-16", func(s *script) {
		oddKeys(s, func(part string) entity.Key { return entity.Key{Partition: part, Row: "1"} })
	})
	add("keys are compared as pairs", keysArePairs)
}

// odd are valid parts of a key that are easily confused or mangled on the way,
// in the order of the index: by UTF-16 code unit. A supplementary character
// (two surrogates, D800 to DFFF) therefore comes before U+FF5A.
var odd = [...]string{
	"", " ", "  ", "!", `"`, "$filter", "%", "%20", "%2F", "&", "'", "' or '", "''", "(1,2)", "+", "-1", "0", "00",
	"111", "2", ":", "<&amp;>", "@", "A", "A b", "[]", "^", "`", "a", "a ", "aa", "b", "e\u0301", "{}", "~",
	"é", "ключ", "日本", "\U0001F3C3", "\U0001F3C3\U0001F3C3", "\U0010FFFD", "\uFF5A",
}

func oddKeys(s *script, keyOf func(part string) entity.Key) {
	var keys []entity.Key
	for i := range odd {
		keys = append(keys, keyOf(odd[i]))
	}
	// From the end, so that an order of arrival would show.
	for i := len(keys) - 1; i >= 0; i-- {
		s.must(write(entity.Insert, keys[i], text("Key", odd[i])))
	}
	for i, key := range keys {
		s.holds(key, text("Key", odd[i]))
	}
	query := between(keys[0], entity.Key{Partition: keys[len(keys)-1].Partition + "\x00"})
	query.Top = 5
	s.sameKeys("a walk over odd keys", s.walk(query, nil), keys)
	for i := 0; i < len(keys); i += 2 {
		s.must(writeIf(entity.Delete, entity.MatchAny, keys[i]))
	}
	for i, key := range keys {
		if i%2 == 0 {
			s.lacks(key)
		} else {
			s.holds(key, text("Key", odd[i]))
		}
	}
}

func keysArePairs(s *script) {
	keys := []entity.Key{
		{}, {Row: "a"}, {Row: "ab"}, {Partition: "a"}, {Partition: "a", Row: "b"}, {Partition: "a", Row: "ba"}, {Partition: "ab"},
	}
	for _, key := range keys {
		s.lacks(key)
		s.must(write(entity.Insert, key, text("Of", name(key))))
	}
	for _, key := range keys {
		s.holds(key, text("Of", name(key)))
	}
}
