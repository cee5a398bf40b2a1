/** Between the read and the write, where an attempt may be frozen, or simply slow. */
export type Meanwhile = () => Promise<void>

/**
 * Writes an object, unless a later attempt has. The write is conditional on what was read, so the store itself refuses an attempt that
 * was overtaken in between; it then finds the higher fence.
 * @returns whether it was written
 */
export async function writeFenced(
  url: string,
  body: string,
  fence: number,
  meanwhile: Meanwhile,
): Promise<boolean> {
  for (;;) {
    const found = await fetch(url)
    const etag = found.headers.get('etag')
    if (Number(found.headers.get('x-fence') ?? 0) > fence) return false
    await meanwhile()
    const condition = etag === null ? { 'if-none-match': '*' } : { 'if-match': etag }
    const written = await fetch(url, {
      method: 'PUT',
      body,
      headers: { 'x-fence': `${fence}`, ...condition },
    })
    if (written.ok) return true
    if (written.status !== 412) throw new Error(`the bucket answered ${written.status}`)
  }
}
