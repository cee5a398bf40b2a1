import { TerminalError } from 'lineclear'

/** Stands for a carrier who does not deliver everywhere. */
export function bookParcel(orderId: string, country: string): string {
  if (country === 'Atlantis') throw new TerminalError(`no parcels to ${country}`)
  return `parcel of ${orderId}`
}
