import java.io.File;
import java.time.Duration;
import org.archive.crawler.framework.CrawlJob;
import org.xbill.DNS.Lookup;
import org.xbill.DNS.SimpleResolver;

/** Runs one job of Heritrix to its end. Arguments: its configuration, and a name server. */
public final class HeritrixCrawl {
  public static void main(String[] arguments) throws Exception {
    String[] server = arguments[1].split(":");
    SimpleResolver resolver = new SimpleResolver(server[0]);
    resolver.setPort(Integer.parseInt(server[1]));
    resolver.setTimeout(Duration.ofSeconds(3));
    Lookup.setDefaultResolver(resolver);
    CrawlJob job = new CrawlJob(new File(arguments[0]));
    job.launch();
    if (job.getCrawlController() == null) throw new IllegalStateException("the job does not start: see its job.log");
    while (!"FINISHED".equals(String.valueOf(job.getCrawlController().getState()))) Thread.sleep(200);
    System.exit(0);
  }
}
