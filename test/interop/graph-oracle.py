"""What networkx finds in a graph: graph-oracle.py LINKS NODES SITE, where SITE is a list of nodes with commas between."""
import json
import sys

import networkx

links, nodes, site = sys.argv[1], int(sys.argv[2]), sys.argv[3]
graph = networkx.DiGraph()
graph.add_nodes_from(range(nodes))
with open(links) as lines:
    graph.add_edges_from(tuple(map(int, line.split("\t"))) for line in lines)
settings = {"alpha": 0.85, "tol": 1e-16, "max_iter": 5000}
ranks = networkx.pagerank(graph, **settings)
personal = networkx.pagerank(graph, personalization={int(node): 1 for node in site.split(",")}, **settings)
harmonic = networkx.harmonic_centrality(graph)
print(
    json.dumps(
        {
            "pagerank": [ranks[node] for node in range(nodes)],
            "personal": [personal[node] for node in range(nodes)],
            "harmonic": [harmonic[node] for node in range(nodes)],
            "inDegrees": [graph.in_degree(node) for node in range(nodes)],
            "components": sorted((len(one) for one in networkx.strongly_connected_components(graph)), reverse=True),
        }
    )
)
