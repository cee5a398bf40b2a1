import { CALLED } from './calls.ts'
import { CONSUMERS } from './consumers.ts'
import type { OpenCourse } from './course.ts'
import { DEAD } from './dead.ts'
import { FLOWS } from './flows.ts'

export const COURSES: readonly OpenCourse[] = [...CONSUMERS, ...DEAD, ...FLOWS, ...CALLED]

const POSTGRES = 'needs a PostgreSQL that Lambda reaches'
const HOTEL = 'its effects are calls of a hotel, which stands in the memory of the function'

/** Functions of serverless.yml that no course drives. */
export const NOT_DRIVEN: Readonly<Record<string, string>> = {
  remind: 'is due a day later',
  transfers: POSTGRES,
  cleanUp: POSTGRES,
  ask: HOTEL,
  quote: HOTEL,
  book: HOTEL,
  sweeper: 'runs by its schedule, beside the courses',
}
