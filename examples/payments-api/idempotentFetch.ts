import { idempotent, type Store } from 'lineclear'

interface FetchOptions {
  readonly store: Store
  readonly name: string
  /** Who calls, by what your front has checked; null: not known, and then the answer is 400. */
  readonly tenant: (request: Request) => string | null | Promise<string | null>
}

/**
 * `idempotent` for handlers that take a `Request` and give a `Response`: of Hono (`c.req.raw`), of `export default { fetch }`, or
 * behind an adapter in front of a container. For bodies of text, such as JSON, on both sides: bytes would need base64.
 */
export function idempotentFetch(
  { store, name, tenant }: FetchOptions,
  handler: (request: Request) => Promise<Response>,
): (request: Request) => Promise<Response> {
  const answer = idempotent(
    { store, name, tenant: ({ caller }: FetchEvent) => caller },
    async ({ request }: FetchEvent) => storable(await handler(request)),
  )
  return async (request) => {
    const head = headOf(request)
    const caller = await tenant(request)
    // A request without its key or its caller is answered before anything of its body is read.
    const isWhole = caller !== null && request.headers.has('idempotency-key')
    const body = isWhole && request.body !== null ? await request.text() : undefined
    return responseOf(await answer({ ...head, caller, body, request: withBody(request, body) }))
  }
}

/** A request in the form of an HTTP API's event: `idempotent` reads its key, compares its content, and refuses it by problem details. */
interface FetchEvent extends ReturnType<typeof headOf> {
  readonly caller: string | null
  readonly body: string | undefined
  readonly request: Request
}

function headOf({ url, headers, method }: Request) {
  const { pathname, search } = new URL(url)
  return {
    version: '2.0',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: Object.fromEntries(headers),
    requestContext: { http: { method } },
  }
}

/** The handler reads the body that was read here. */
function withBody(request: Request, body: string | undefined): Request {
  const { url, method, headers, signal } = request
  return body === undefined ? request : new Request(url, { method, headers, signal, body })
}

/** As an HTTP API's answer: only one with a 2xx status is stored, and never its cookies. */
async function storable(response: Response) {
  const headers = [...response.headers].filter(([name]) => name !== 'set-cookie')
  return {
    statusCode: response.status,
    headers: Object.fromEntries(headers),
    cookies: response.headers.getSetCookie(),
    body: await response.text(),
  }
}

type StoredAnswer = Partial<Awaited<ReturnType<typeof storable>>> & { readonly statusCode: number }

function responseOf({
  statusCode: status,
  headers = {},
  cookies = [],
  body,
}: StoredAnswer): Response {
  // A 204 may have no body, not even an empty one. As bytes, a text is given no content type of its own.
  const response = new Response(body ? Buffer.from(body) : null, { status, headers })
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  return response
}
