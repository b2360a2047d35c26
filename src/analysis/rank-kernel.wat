;; The first half of a round of PageRank, as spreadRanks in src/graph/page-rank.ts has it, for rows in order. All pointers are places in
;; bytes; offsets and targets are numbers of 32 bits, ranks and what is given are doubles.
(module
  (import "rank" "memory" (memory 0 65536 shared))

  ;; Nodes give what they have to those that they link to.
  ;; offset: where the first node's offset is; targets: where those of all nodes begin; rank: where the first node's is;
  ;; given: where it is added, for all nodes; count: of nodes. Returns what is at nodes without links.
  (func (export "spread")
    (param $offset i32) (param $targets i32) (param $rank i32) (param $given i32) (param $count i32) (param $damping f64)
    (result f64)
    (local $link i32) (local $end i32) (local $place i32) (local $share f64) (local $stranded f64)
    (local.set $end (i32.add (local.get $targets) (i32.shl (i32.load (local.get $offset)) (i32.const 2))))
    (block $done
      (loop $nodes
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $link (local.get $end))
        (local.set $end
          (i32.add (local.get $targets) (i32.shl (i32.load offset=4 (local.get $offset)) (i32.const 2))))
        (if (i32.eq (local.get $link) (local.get $end))
          (then (local.set $stranded (f64.add (local.get $stranded) (f64.load (local.get $rank)))))
          (else
            (local.set $share
              (f64.div
                (f64.mul (local.get $damping) (f64.load (local.get $rank)))
                (f64.convert_i32_u (i32.shr_u (i32.sub (local.get $end) (local.get $link)) (i32.const 2)))))
            (loop $links
              (local.set $place
                (i32.add (local.get $given) (i32.shl (i32.load (local.get $link)) (i32.const 3))))
              (f64.store (local.get $place) (f64.add (f64.load (local.get $place)) (local.get $share)))
              (local.set $link (i32.add (local.get $link) (i32.const 4)))
              (br_if $links (i32.lt_u (local.get $link) (local.get $end))))))
        (local.set $offset (i32.add (local.get $offset) (i32.const 4)))
        (local.set $rank (i32.add (local.get $rank) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $nodes)))
    (local.get $stranded)))
