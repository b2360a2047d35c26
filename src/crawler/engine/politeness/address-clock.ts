import { ClockMap } from "./clock-map.ts";
import { SpacingClock } from "./spacing-clock.ts";

const maxAddresses = 100_000;
const maxAddressesOfSite = 16;

/** The spacing clock that all sites of one address share. */
export class AddressClock extends SpacingClock {
  get isUsed(): boolean {
    return this.underWay > 0;
  }
}

/** The clocks of addresses, by their text; bounded. */
export class AddressClocks {
  readonly #clocks = new ClockMap<AddressClock>(maxAddresses, () => new AddressClock());

  /** The clocks of a site's addresses; beyond sixteen they are passed over. */
  of(addresses: readonly string[]): AddressClock[] {
    return [...new Set(addresses)].slice(0, maxAddressesOfSite).map((address) => this.#clocks.of(address));
  }
}

/** Whether an address, as text, is a loopback address: of 127.0.0.0/8, or ::1. */
export function isLoopbackAddress(address: string): boolean {
  return /^(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/i.test(address) || address === "::1";
}
