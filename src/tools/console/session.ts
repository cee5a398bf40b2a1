/** What the page shows of the place it works on. */
export interface Session {
  /** The local cloud, not an account. */
  readonly local: boolean
  readonly table: string
  readonly region: string | undefined
  /** Number of the account, if the table could be described. */
  readonly account: string | undefined
  /** What would be deployed, if the local cloud names it. As `GET /api/doctor` takes it. */
  readonly template?: string | undefined
  /** Whether the routes that change something exist. */
  readonly canChange: boolean
  /** Whether it runs beside `lineclear dev`. */
  readonly dev: boolean
  /** Whether there are live events: `GET /api/events`. */
  readonly live: boolean
  /** Of the package. */
  readonly version: string
  /** Who is written into the audit. */
  readonly user: string
}
