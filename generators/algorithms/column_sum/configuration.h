#pragma once

// What the variants of column_sum say of their forms and of the images that they serve: shared by the
// generators, the schedules and the front (generators/algorithms/configuration.h). The bounds on images count
// where no measured times decide on a variant: they are where the times of neighbouring variants meet on an
// H200; 0 means no bound.
namespace tilewright {

// Of the definition, ColumnSum.
struct ColumnSumConfiguration {
    int columns = 1;  // that a thread owns: the image's width, and the places where its rows begin, are
                      // multiples of it
    int most_rows = 0, most_columns = 0;  // of the image

    template<typename Visit>
    void fields(Visit visit) {
        visit("columns", columns);
        visit("most_rows", most_rows);
        visit("most_columns", most_columns);
    }
};

// Of ColumnSumWords.
struct ColumnSumWordsConfiguration {
    int words = 1;      // that are read at a time
    int alignment = 1;  // in bytes: rows of the image begin at multiples of it
    int most_rows = 0;  // of the image

    template<typename Visit>
    void fields(Visit visit) {
        visit("words", words);
        visit("alignment", alignment);
        visit("most_rows", most_rows);
    }
};

// Of ColumnSumFolded.
struct ColumnSumFoldedConfiguration {
    int most_row_bytes = 0;  // of a row of the image

    template<typename Visit>
    void fields(Visit visit) {
        visit("most_row_bytes", most_row_bytes);
    }
};

}  // namespace tilewright
