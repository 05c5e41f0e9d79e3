// The one copy of fmt in our archives: its functions are compiled here and nowhere else
// (cmake/compile_time.cmake says why and how). It is what fmt's own src/format.cc is, as far as text of
// `char` needs it. Known to be right for fmt 9 to 12.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

// The headers declare these `extern template`, so that one file has to instantiate them.
template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;
#if FMT_VERSION >= 100000 && FMT_VERSION < 110100
template void vformat_to(buffer<char> &, string_view, typename vformat_args<>::type, locale_ref);
#endif

}  // namespace detail
FMT_END_NAMESPACE
