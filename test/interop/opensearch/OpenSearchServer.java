import java.util.List;
import java.util.Map;
import org.opensearch.common.settings.Settings;
import org.opensearch.index.reindex.ReindexPlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;

/** OpenSearch with one node, in a folder, at any free port of this machine, which it prints. */
public final class OpenSearchServer extends Node {
  private OpenSearchServer(Settings settings) {
    super(
        InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "test"),
        List.of(Netty4Plugin.class, ReindexPlugin.class),
        true);
  }

  public static void main(String[] arguments) throws Exception {
    Settings settings =
        Settings.builder()
            .put("path.home", arguments[0])
            .put("node.name", "test")
            .put("cluster.name", "test")
            .put("discovery.type", "single-node")
            .put("network.host", "127.0.0.1")
            .put("http.port", "0")
            .put("transport.port", "0")
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .put("http.type", "netty4")
            .put("transport.type", "netty4")
            .build();
    Node node = new OpenSearchServer(settings).start();
    System.out.println("listening " + node.injector().getInstance(org.opensearch.http.HttpServerTransport.class).boundAddress().publishAddress().getPort());
    System.in.read();
    node.close();
    System.exit(0);
  }
}
