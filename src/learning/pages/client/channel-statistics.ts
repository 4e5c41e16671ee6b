import { texts } from '#foundation/web/client/language.ts'
import type { Channel } from '../api-types.ts'
import { CHANNEL_TEXTS } from './channel-texts.ts'
import { columnChart, funnelChart } from './chart.ts'
import { day, dayAndMonth, duration } from './format.ts'
import { html } from './html.ts'

const t = texts(CHANNEL_TEXTS)

/** How learners come and go, for who teaches them. */
export const learners = ({ enrolled, started, completed, weekly_activity }: NonNullable<Channel['stats']>) =>
  html`<section aria-labelledby="learners">
    <h2 id="learners">${t('your_learners')}</h2>
    ${
      enrolled === 0
        ? html`<p class="quiet-text">${t('nobody')}</p>`
        : html`<div class="two">
            ${funnelChart(
              {
                title: t('funnel'),
                description: t('funnel_text', { started, enrolled, completed }),
                table: {
                  columns: [t('step'), t('learners')],
                  rows: [
                    [t('joined_step'), enrolled],
                    [t('began'), started],
                    [t('finished'), completed],
                  ],
                },
              },
              [
                { name: t('joined_step'), value: enrolled },
                { name: t('began'), value: started },
                { name: t('finished'), value: completed },
              ],
            )}
            ${columnChart(
              {
                title: t('weekly'),
                description: t('weekly_text'),
                table: {
                  columns: [t('week_of'), t('learners'), t('watched')],
                  rows: weekly_activity.map(({ week, learners, watched_seconds }) => [
                    day(week),
                    learners,
                    duration(watched_seconds),
                  ]),
                },
              },
              weekly_activity.map(({ week }) => dayAndMonth(week)),
              weekly_activity.map((week) => week.learners),
            )}
          </div>`
    }
  </section>`
