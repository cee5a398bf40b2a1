import { bookingOn } from '../booking.ts'
import { callerOn } from '../callers.ts'
import { redriveAll, shopOn } from '../shop.ts'
import { sweeperOn } from '../sweeper.ts'

/**
 * What campaigns deploy of a version: handlers, the sweeper, and an operator's redrive. They are made by the sources of that version,
 * so that they speak its names, and take only what both versions have: the cloud, books, and functions that pause.
 */
export interface Version {
  readonly bookingOn: typeof bookingOn
  readonly callerOn: typeof callerOn
  readonly shopOn: typeof shopOn
  readonly sweeperOn: typeof sweeperOn
  readonly redriveAll: typeof redriveAll
}

/** This checkout. */
export const PRESENT: Version = { bookingOn, callerOn, shopOn, sweeperOn, redriveAll }
