package keys_test

import (
	"fmt"

	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
)

// A race has two distances, and four of five runners take the shorter one. The
// distance as PartitionKey gives two partitions that are far from equal.
func Example() {
	partition, _ := keys.ParseTemplate("{distance}")
	row, _ := keys.ParseTemplate("{bib}__{age}")
	age, _ := keys.ParseTemplate("{age}")
	generator, err := keys.New(keys.Options{
		Seed: 2011,
		Attributes: []keys.Attribute{
			{Name: "distance", Values: keys.ValueList{Values: []string{"Full", "Half"}, Weights: []int64{1, 4}}},
			{Name: "bib", Values: keys.Sequence{Start: 1}},
			{Name: "age", Values: keys.Uniform{Low: 18, High: 79}},
		},
		PartitionKey: partition,
		RowKey:       row,
		Properties:   []keys.PropertySpec{{Name: "Age", Type: entity.TypeInt32, Value: age}},
		Size:         1024,
		Filler:       "Notes",
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	fmt.Println("the first runner:", generator.Key(0), entity.Size(generator.Key(0), generator.Properties(0)), "bytes")

	for _, share := range keys.Skew(generator, 1000) {
		fmt.Printf("%s holds %d of 1000\n", share.PartitionKey, share.Entities)
	}

	// Late registrations that all fall into the partition of runner 0.
	late := generator.Pinned(0)
	fmt.Println("then:", late.Key(1000), late.Key(1001))
	// Output:
	// the first runner: {Half 1__57} 1024 bytes
	// Half holds 797 of 1000
	// Full holds 203 of 1000
	// then: {Half 1001__22} {Half 1002__43}
}
