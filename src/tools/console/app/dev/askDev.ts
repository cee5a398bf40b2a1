import { open } from '../api.ts'

/** @throws ApiError */
export async function askDev<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  const response = await open(path, signal && { signal })
  return (await response.json()) as Answer
}

/** @throws ApiError */
export async function tellDev<Answer>(path: string, body: object): Promise<Answer> {
  const response = await open(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as Answer
}
