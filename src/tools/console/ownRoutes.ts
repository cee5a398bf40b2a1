/**
 * Routes that no command stands behind, such as those of `lineclear dev`: by their names behind `/api/`. What they resolve to is sent
 * as JSON; a `RequestError` is said to the page.
 */
export interface OwnRoutes {
  readonly get?: Readonly<Record<string, (query: URLSearchParams) => Promise<object>>>
  readonly post?: Readonly<
    Record<string, (body: Readonly<Record<string, unknown>>) => Promise<object>>
  >
}
