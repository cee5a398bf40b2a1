/** `account/name`, because one queue has several URLs, such as a legacy, a FIPS and a dual-stack URL. */
export function queuePath(url: string): string {
  return url.split('/').slice(-2).join('/')
}
