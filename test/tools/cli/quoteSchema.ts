import { z } from 'zod'

export const Quote = z.object({ quoteId: z.string(), price: z.number() })
