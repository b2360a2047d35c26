// PageRank as plain loops, to compare with: g++ -O3 -o page-rank page-rank.cpp && ./page-rank LINKS.csr ROUNDS [RANKS]
// Reads a graph's file as docs/format.md defines it, runs that many rounds along links and along links backwards, prints the seconds of
// each, and writes the ranks of the first as doubles.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using std::vector;

static const double damping = 0.85;

static double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

static vector<double> along(uint32_t n, const vector<uint32_t>& offsets, const vector<uint32_t>& targets, int rounds) {
  vector<double> ranks(n, 1.0 / n), next(n);
  for (int round = 0; round < rounds; round++) {
    double stranded = 0;
    for (uint32_t u = 0; u < n; u++) {
      const uint32_t begin = offsets[u], end = offsets[u + 1];
      if (begin == end) {
        stranded += ranks[u];
        continue;
      }
      const double share = damping * ranks[u] / (end - begin);
      for (uint32_t at = begin; at < end; at++) next[targets[at]] += share;
    }
    const double base = (1 - damping + damping * stranded) / n;
    for (uint32_t u = 0; u < n; u++) {
      ranks[u] = base + next[u];
      next[u] = 0;
    }
  }
  return ranks;
}

static vector<double> backwards(uint32_t n, const vector<uint32_t>& offsets, const vector<uint32_t>& inOffsets,
                                const vector<uint32_t>& sources, int rounds) {
  vector<double> ranks(n, 1.0 / n), shares(n);
  for (int round = 0; round < rounds; round++) {
    double stranded = 0;
    for (uint32_t u = 0; u < n; u++) {
      const uint32_t degree = offsets[u + 1] - offsets[u];
      if (degree == 0) stranded += ranks[u];
      shares[u] = degree == 0 ? 0 : damping * ranks[u] / degree;
    }
    const double base = (1 - damping + damping * stranded) / n;
    for (uint32_t v = 0; v < n; v++) {
      double sum = base;
      for (uint32_t at = inOffsets[v]; at < inOffsets[v + 1]; at++) sum += shares[sources[at]];
      ranks[v] = sum;
    }
  }
  return ranks;
}

int main(int count, char** words) {
  if (count < 3) return 2;
  FILE* file = fopen(words[1], "rb");
  uint32_t head[4];
  if (!file || fread(head, 4, 4, file) != 4) return 1;
  const uint32_t n = head[2], m = head[3];
  vector<uint32_t> offsets(n + 1), targets(m), inOffsets(n + 1), sources(m);
  if (fread(offsets.data(), 4, n + 1, file) != n + 1 || fread(targets.data(), 4, m, file) != m) return 1;
  for (uint32_t target : targets) inOffsets[target + 1]++;
  for (uint32_t v = 0; v < n; v++) inOffsets[v + 1] += inOffsets[v];
  vector<uint32_t> place(inOffsets.begin(), inOffsets.end() - 1);
  for (uint32_t u = 0; u < n; u++)
    for (uint32_t at = offsets[u]; at < offsets[u + 1]; at++) sources[place[targets[at]]++] = u;
  const int rounds = atoi(words[2]);
  double begun = now();
  const vector<double> ranks = along(n, offsets, targets, rounds);
  const double pushed = now() - begun;
  begun = now();
  const vector<double> other = backwards(n, offsets, inOffsets, sources, rounds);
  printf("%.6f %.6f %.3g\n", pushed, now() - begun, other[0] - ranks[0]);
  if (count > 3) {
    FILE* out = fopen(words[3], "wb");
    if (!out || fwrite(ranks.data(), 8, n, out) != n || fclose(out) != 0) return 1;
  }
  return 0;
}
