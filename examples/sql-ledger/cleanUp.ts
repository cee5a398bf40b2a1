import { sql } from './database.ts'

/** Once a day: deletes the marks and fences that are older than the retention of their consumer. */
export const handler = async (): Promise<{ deleted: number }> => {
  return { deleted: await sql.deleteExpired() }
}
