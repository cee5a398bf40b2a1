import type { Page, Request } from 'playwright-core'

/** What must not happen on a page of the console, and what is on its way there. */
export interface Watched {
  /** A sentence each. */
  readonly problems: string[]
  /** Answers that are on their way, but for the stream of events, which does not end. */
  readonly pending: ReadonlySet<Request>
}

/** @param origin of the console: a page asks nobody else */
export function watch(page: Page, origin: string): Watched {
  const problems: string[] = []
  const pending = new Set<Request>()
  // Breaches of the content security policy, and answers with an error, are errors on the console.
  page.on('console', (message) => {
    if (message.type() === 'error')
      problems.push(`console: ${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => problems.push(`thrown: ${String(error)}`))
  page.on('dialog', (dialog) => {
    problems.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', (popup) => problems.push(`a window: ${popup.url()}`))
  page.on('download', (download) => problems.push(`a download: ${download.url()}`))
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin && url.protocol !== 'data:') {
      problems.push(`a request to another host: ${url.href}`)
    }
    if (url.pathname.startsWith('/api/') && url.pathname !== '/api/events') pending.add(request)
  })
  page.on('requestfinished', (request) => pending.delete(request))
  // A body that nobody reads is never finished.
  page.on('response', (response) => {
    if (!response.ok()) pending.delete(response.request())
  })
  page.on('requestfailed', (request) => {
    pending.delete(request)
    const why = request.failure()?.errorText ?? ''
    // What a page has asked is of no use to the next one.
    if (why !== 'net::ERR_ABORTED') problems.push(`${request.url()}: ${why}`)
  })
  return { problems, pending }
}
