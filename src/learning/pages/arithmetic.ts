/** The service's own grade arithmetic, for pages that compute hypothetical grades. */
export { gradeOf, type Mark, ratio } from '../grades/arithmetic.ts'
