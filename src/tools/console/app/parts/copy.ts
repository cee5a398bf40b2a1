import { toast } from './toasts.ts'

/** @param what it is, for the note that says so */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast(`${what} copied`)
  } catch {
    toast(`${what} could not be copied: the browser does not allow it`)
  }
}
