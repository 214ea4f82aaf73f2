// Solves a tridiagonal system by conjugate gradients, with ViennaCL on OpenCL.
#define VIENNACL_WITH_OPENCL
#include <iostream>
#include <map>
#include <vector>

#include <viennacl/compressed_matrix.hpp>
#include <viennacl/linalg/cg.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/vector.hpp>

int main() {
  constexpr unsigned kRows = 2000;
  std::vector<std::map<unsigned, float>> rows(kRows);
  for (unsigned i = 0; i < kRows; ++i) {
    rows[i][i] = 2.01F;
    if (i > 0) rows[i][i - 1] = -1;
    if (i + 1 < kRows) rows[i][i + 1] = -1;
  }
  viennacl::compressed_matrix<float> matrix(kRows, kRows);
  viennacl::copy(rows, matrix);
  std::vector<float> values(kRows, 1.0F);
  viennacl::vector<float> right(kRows);
  viennacl::copy(values, right);
  const viennacl::linalg::cg_tag tag(1e-6, 300);
  const viennacl::vector<float> found = viennacl::linalg::solve(matrix, right, tag);
  viennacl::copy(found, values);
  std::cout << tag.iters() << " steps, in the middle " << values[kRows / 2] << "\n";
}
