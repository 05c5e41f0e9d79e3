#pragma once

// What the variants of column_sum say of their forms: shared by the generators, the schedules and the front
// (generators/algorithms/configuration.h).
namespace tilewright {

// Of the definition, ColumnSum.
struct ColumnSumConfiguration {
    int columns = 1;  // that a thread owns: the image's width, and the places where its rows begin, are
                      // multiples of it

    template<typename Visit>
    void fields(Visit visit) {
        visit("columns", columns);
    }
};

// Of ColumnSumWords.
struct ColumnSumWordsConfiguration {
    int words = 1;      // that are read at a time
    int alignment = 1;  // in bytes: rows of the image begin at multiples of it

    template<typename Visit>
    void fields(Visit visit) {
        visit("words", words);
        visit("alignment", alignment);
    }
};

}  // namespace tilewright
