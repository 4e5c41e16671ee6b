// Made by test/client-types.test.ts from the descriptions of the routes, for version 1 of the package.

export interface paths {
    "/api/calendar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Since when one has an address */
        get: operations["getCalendar"];
        put?: never;
        /** A new personal address of a calendar (.ics), told once */
        post: operations["postCalendar"];
        /** Revoke the address of one's calendar */
        delete: operations["deleteCalendar"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/certificates/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The certificate behind a signed code: name, channel, issuer and date */
        get: operations["getCertificatesByCode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/certificates/{code}/pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The same as one sheet */
        get: operations["getCertificatesByCodePdf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List channels, query page and per_page */
        get: operations["getChannels"];
        put?: never;
        /** Create a channel */
        post: operations["postChannels"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/channels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a channel */
        get: operations["getChannelsById"];
        /** Partial update */
        put: operations["putChannelsById"];
        post?: never;
        /** Soft-delete */
        delete: operations["deleteChannelsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/channels/{id}/certificate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** One's certificate of a channel that one has passed; the same one each time */
        post: operations["postChannelsByIdCertificate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/channels/{id}/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A draft of one's own with the same episodes and work */
        post: operations["postChannelsByIdCopy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/channels/{id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Upload a picture or captions */
        post: operations["postChannelsByIdFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/channels/{id}/learners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Its learners with progress and grade; with include their risk or each result */
        get: operations["getChannelsByIdLearners"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/channels/{id}/learners/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a learner's enrollment */
        delete: operations["deleteChannelsByIdLearnersByUserId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/channels/{id}/letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mail plain text to learners of a channel */
        post: operations["postChannelsByIdLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/channels/{id}/teachers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who teaches it, by name; with q people who could: those of one's channels, others by whole address */
        get: operations["getChannelsByIdTeachers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/channels/choices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Subjects, languages and tags that the list of channels can be narrowed to */
        get: operations["getChannelsChoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/csrf-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Generates a CSRF token and sets it as a cookie */
        get: operations["getCsrfToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/device/feed/{channel_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** JSON content feed of the channel */
        get: operations["getDeviceFeedByChannelId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/enroll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Enroll in a channel; idempotent */
        post: operations["postEnroll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/enrollments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the caller's enrollments */
        get: operations["getEnrollments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/enrollments/{channel_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Leave a channel */
        delete: operations["deleteEnrollmentsByChannelId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/{id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What its editors typed and have not published; with since what is newer */
        get: operations["getEpisodesByIdChanges"];
        /** Keep what was typed, field by field, right or wrong */
        put: operations["putEpisodesByIdChanges"];
        post?: never;
        /** Discard all of it */
        delete: operations["deleteEpisodesByIdChanges"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/{id}/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A draft with the same work, also in another channel */
        post: operations["postEpisodesByIdCopy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/{id}/homework": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List homework of the episode */
        get: operations["getEpisodesByIdHomework"];
        put?: never;
        /** Create homework */
        post: operations["postEpisodesByIdHomework"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/{id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** To the end of another channel */
        post: operations["postEpisodesByIdMove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/{id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Keep a note or bookmark at a second of the video */
        post: operations["postEpisodesByIdNotes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/{id}/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Questions below an episode, with their first answers */
        get: operations["getEpisodesByIdPosts"];
        put?: never;
        /** Ask, or answer with question_id */
        post: operations["postEpisodesByIdPosts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/{id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Publish the lesson with all of it at once */
        post: operations["postEpisodesByIdPublish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/{id}/tests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List tests of the episode */
        get: operations["getEpisodesByIdTests"];
        put?: never;
        /** Create a test */
        post: operations["postEpisodesByIdTests"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/{id}/video": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the video asset of the episode */
        get: operations["getEpisodesByIdVideo"];
        put?: never;
        /** Create or update (upsert) the video asset */
        post: operations["postEpisodesByIdVideo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/homework/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Update homework */
        put: operations["putEpisodesHomeworkById"];
        post?: never;
        /** Soft-delete homework */
        delete: operations["deleteEpisodesHomeworkById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/homework/{id}/deadlines/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Give one learner longer for it; for those who teach there */
        put: operations["putEpisodesHomeworkByIdDeadlinesByUserId"];
        post?: never;
        /** Everybody's deadline again */
        delete: operations["deleteEpisodesHomeworkByIdDeadlinesByUserId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/homework/{id}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One's own homework that is not handed in */
        get: operations["getEpisodesHomeworkByIdDraft"];
        /** Merge changed fields into it */
        put: operations["putEpisodesHomeworkByIdDraft"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/homework/{id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Upload a file to hand in */
        post: operations["postEpisodesHomeworkByIdFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/homework/{id}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Submit homework (student) */
        post: operations["postEpisodesHomeworkByIdSubmit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/homework/submissions/{id}/grade": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Grade a submission */
        put: operations["putEpisodesHomeworkSubmissionsByIdGrade"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/questions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Update a question */
        put: operations["putEpisodesQuestionsById"];
        post?: never;
        /** Soft-delete a question */
        delete: operations["deleteEpisodesQuestionsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/tests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Update a test */
        put: operations["putEpisodesTestsById"];
        post?: never;
        /** Soft-delete a test */
        delete: operations["deleteEpisodesTestsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/tests/{id}/attempt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Submit an attempt; it is auto-graded */
        post: operations["postEpisodesTestsByIdAttempt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/tests/{id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The attempts of one learner */
        get: operations["getEpisodesTestsByIdAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/tests/{id}/bank": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Questions of the other tests of its channel; for editors */
        get: operations["getEpisodesTestsByIdBank"];
        put?: never;
        /** Copy some of them to its end */
        post: operations["postEpisodesTestsByIdBank"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/tests/{id}/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A draft with the same questions */
        post: operations["postEpisodesTestsByIdCopy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/tests/{id}/deadlines/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Give one learner longer for it; for those who teach there */
        put: operations["putEpisodesTestsByIdDeadlinesByUserId"];
        post?: never;
        /** Everybody's deadline again */
        delete: operations["deleteEpisodesTestsByIdDeadlinesByUserId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/tests/{id}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One's own answers that are not handed in */
        get: operations["getEpisodesTestsByIdDraft"];
        /** Merge changed answers into them */
        put: operations["putEpisodesTestsByIdDraft"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/tests/{id}/extra-attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Grant a learner more attempts; for editors */
        put: operations["putEpisodesTestsByIdExtraAttempts"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/tests/{id}/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List questions of a test */
        get: operations["getEpisodesTestsByIdQuestions"];
        put?: never;
        /** Add a question */
        post: operations["postEpisodesTestsByIdQuestions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/episodes/tests/attempts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A finished attempt again, as far as the test tells */
        get: operations["getEpisodesTestsAttemptsById"];
        put?: never;
        post?: never;
        /** Take back one attempt of a learner; for editors */
        delete: operations["deleteEpisodesTestsAttemptsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/files/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An attachment of homework */
        get: operations["getFilesById"];
        put?: never;
        post?: never;
        /** Remove a file that is not handed in */
        delete: operations["deleteFilesById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/grades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All the caller's grades */
        get: operations["getGrades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/grades/{episode_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Grade for one episode */
        get: operations["getGradesByEpisodeId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Name, version, single sign-on URL */
        get: operations["getInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/innovation/run/{agent_type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Trigger an agent; agent_type is content or engagement */
        post: operations["postInnovationRunByAgentType"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/innovation/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Language-model configuration status */
        get: operations["getInnovationStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/innovation/suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List suggestions; query agent_type, status, page */
        get: operations["getInnovationSuggestions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/innovation/suggestions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Review a suggestion */
        put: operations["putInnovationSuggestionsById"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/innovation/suggestions/{id}/learners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Everybody whom a suggestion is about, not only fifty */
        get: operations["getInnovationSuggestionsByIdLearners"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One's own notes, of all episodes or one */
        get: operations["getNotes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change one */
        put: operations["putNotesById"];
        post?: never;
        /** Delete one */
        delete: operations["deleteNotesById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What one was told, latest first, and how much is unread */
        get: operations["getNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mark some or all as read */
        post: operations["postNotificationsRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What one hears of in the page and by mail */
        get: operations["getNotificationsSettings"];
        /** Change it */
        put: operations["putNotificationsSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change the text of one's own post; editors hide and show */
        put: operations["putPostsById"];
        post?: never;
        /** Remove one's own post; editors any */
        delete: operations["deletePostsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}/answers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All answers to a question */
        get: operations["getPostsByIdAnswers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Update watch progress (upsert) */
        post: operations["postProgress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/progress/{episode_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get watch progress for an episode */
        get: operations["getProgressByEpisodeId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/channels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A published, public channel with the titles of its episodes, for visitors */
        get: operations["getPublicChannelsById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One search over channels, episodes, people, tags, chapters and transcripts */
        get: operations["getSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teaching/to-grade": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Work that waits for a grade in all one's channels, the oldest first */
        get: operations["getTeachingToGrade"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teaching/today": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What waits for a teacher: work, learners who fell behind, the week ahead */
        get: operations["getTeachingToday"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calendar/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The calendar behind a personal address (RFC 5545) */
        get: operations["getCalendarByFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/files/{channel_id}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A picture or captions, for who sees the channel */
        get: operations["getFilesByChannelIdById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Health check: database status and response time */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Does the process run */
        get: operations["getLivez"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** May it get requests */
        get: operations["getReadyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: never;
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getCalendar: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string | null;
                    };
                };
            };
        };
    };
    postCalendar: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    language: "en" | "de" | "es";
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        url: string;
                    };
                };
            };
        };
    };
    deleteCalendar: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string | null;
                    };
                };
            };
        };
    };
    getCertificatesByCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        channel_id: string;
                        channel_title: string;
                        code: string;
                        /** Format: date-time */
                        issued_at: string;
                        issuer: string;
                        pdf_url: string;
                        person_name: string;
                        url: string;
                    };
                };
            };
        };
    };
    getCertificatesByCodePdf: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The certificate as one sheet */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
                };
            };
        };
    };
    getChannels: {
        parameters: {
            query?: {
                category?: string;
                cursor?: string;
                language?: string;
                level?: "all" | "beginner" | "intermediate" | "advanced";
                mine?: boolean;
                page?: number;
                per_page?: number;
                q?: string;
                sort?: "newest" | "title" | "learners";
                status?: "draft" | "published" | "archived";
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            category: string | null;
                            completion_threshold: number;
                            /** Format: date-time */
                            created_at: string;
                            description: string;
                            duration_seconds: number;
                            /** @enum {string} */
                            enrollment: "open" | "closed";
                            enrollment_count: number;
                            episode_count: number;
                            external_id: string | null;
                            grade_weights: {
                                homework: number;
                                tests: number;
                            } | null;
                            /** Format: uuid */
                            id: string;
                            instructor_ids: string[];
                            language: string;
                            /** @enum {string} */
                            level: "all" | "beginner" | "intermediate" | "advanced";
                            my: {
                                can_delete: boolean;
                                can_edit: boolean;
                                enrolled: boolean;
                                /** Format: uuid */
                                next_episode_id: string | null;
                                progress_percent: number;
                            };
                            owner_id: string;
                            passing_percent: number;
                            /** Format: date-time */
                            published_at: string | null;
                            sequential: boolean;
                            /** @enum {string} */
                            status: "draft" | "published" | "archived";
                            tags: string[];
                            thumbnail_url: string | null;
                            title: string;
                            /** Format: date-time */
                            updated_at: string;
                            version: number;
                            /** @enum {string} */
                            visibility: "public" | "tenant" | "private";
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    postChannels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    category?: string | null;
                    completion_threshold?: number | null;
                    description?: string | null;
                    /** @enum {string|null} */
                    enrollment?: "open" | "closed" | null;
                    episodes?: {
                        authors?: string[] | null;
                        description?: string | null;
                        language?: string | null;
                        /** Format: date */
                        recorded_on?: string | null;
                        /** Format: date-time */
                        release_at?: string | null;
                        season?: number | null;
                        /** @enum {string|null} */
                        status?: "draft" | "published" | null;
                        thumbnail_url?: string | null;
                        title: string;
                        video?: {
                            captions?: {
                                default?: boolean | null;
                                /** @enum {string|null} */
                                kind?: "subtitles" | "captions" | "descriptions" | null;
                                label?: string | null;
                                lang: string;
                                url: string;
                            }[] | null;
                            chapters?: {
                                start_seconds: number;
                                title: string;
                            }[] | null;
                            completion_threshold?: number | null;
                            duration_seconds?: number | null;
                            height?: number | null;
                            /** @enum {string|null} */
                            kind?: "file" | "hls" | "embed" | null;
                            mime_type?: string | null;
                            poster_url?: string | null;
                            sha256?: string | null;
                            size_bytes?: number | null;
                            sources?: {
                                height?: number | null;
                                mime_type?: string | null;
                                size_bytes?: number | null;
                                url: string;
                            }[] | null;
                            strict_watch?: boolean | null;
                            transcript?: string | null;
                            url?: string;
                            width?: number | null;
                        } | null;
                    }[] | null;
                    external_id?: string | null;
                    grade_weights?: {
                        homework: number;
                        tests: number;
                    } | null;
                    instructor_ids?: string[] | null;
                    language?: string | null;
                    /** @enum {string|null} */
                    level?: "all" | "beginner" | "intermediate" | "advanced" | null;
                    owner_id?: string | null;
                    passing_percent?: number | null;
                    sequential?: boolean | null;
                    /** @enum {string|null} */
                    status?: "draft" | "published" | "archived" | null;
                    tags?: string[] | null;
                    thumbnail_url?: string | null;
                    title: string;
                    /** @enum {string|null} */
                    visibility?: "public" | "tenant" | "private" | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        category: string | null;
                        completion_threshold: number;
                        /** Format: date-time */
                        created_at: string;
                        description: string;
                        duration_seconds: number;
                        /** @enum {string} */
                        enrollment: "open" | "closed";
                        enrollment_count: number;
                        episode_count: number;
                        episodes: {
                            authors: string[];
                            /** Format: uuid */
                            channel_id: string;
                            /** Format: date-time */
                            created_at: string;
                            description: string;
                            duration_seconds: number | null;
                            homework_count: number;
                            /** Format: uuid */
                            id: string;
                            language: string | null;
                            my: {
                                completed: boolean;
                                locked: boolean;
                                position_seconds: number;
                                progress: number;
                            };
                            position: number;
                            /** Format: date */
                            recorded_on: string | null;
                            /** Format: date-time */
                            release_at: string | null;
                            season: number;
                            /** @enum {string} */
                            status: "draft" | "published";
                            test_count: number;
                            thumbnail_url: string | null;
                            title: string;
                            /** Format: date-time */
                            updated_at: string;
                            video: {
                                asset_version: number;
                                duration_seconds: number | null;
                                has_captions: boolean;
                                has_transcript: boolean;
                                /** @enum {string} */
                                kind: "file" | "hls" | "embed";
                                mime_type: string;
                                poster_url: string | null;
                                trackable: boolean;
                                url: string;
                            } | null;
                        }[];
                        external_id: string | null;
                        grade_weights: {
                            homework: number;
                            tests: number;
                        } | null;
                        /** Format: uuid */
                        id: string;
                        instructor_ids: string[];
                        language: string;
                        /** @enum {string} */
                        level: "all" | "beginner" | "intermediate" | "advanced";
                        my: {
                            can_delete: boolean;
                            can_edit: boolean;
                            enrolled: boolean;
                            /** Format: uuid */
                            next_episode_id: string | null;
                            progress_percent: number;
                        };
                        owner_id: string;
                        passing_percent: number;
                        /** Format: date-time */
                        published_at: string | null;
                        sequential: boolean;
                        stats?: {
                            completed: number;
                            enrolled: number;
                            started: number;
                            weekly_activity: {
                                learners: number;
                                watched_seconds: number;
                                /** Format: date */
                                week: string;
                            }[];
                        };
                        /** @enum {string} */
                        status: "draft" | "published" | "archived";
                        tags: string[];
                        thumbnail_url: string | null;
                        title: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                        /** @enum {string} */
                        visibility: "public" | "tenant" | "private";
                    };
                };
            };
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        category: string | null;
                        completion_threshold: number;
                        /** Format: date-time */
                        created_at: string;
                        description: string;
                        duration_seconds: number;
                        /** @enum {string} */
                        enrollment: "open" | "closed";
                        enrollment_count: number;
                        episode_count: number;
                        episodes: {
                            authors: string[];
                            /** Format: uuid */
                            channel_id: string;
                            /** Format: date-time */
                            created_at: string;
                            description: string;
                            duration_seconds: number | null;
                            homework_count: number;
                            /** Format: uuid */
                            id: string;
                            language: string | null;
                            my: {
                                completed: boolean;
                                locked: boolean;
                                position_seconds: number;
                                progress: number;
                            };
                            position: number;
                            /** Format: date */
                            recorded_on: string | null;
                            /** Format: date-time */
                            release_at: string | null;
                            season: number;
                            /** @enum {string} */
                            status: "draft" | "published";
                            test_count: number;
                            thumbnail_url: string | null;
                            title: string;
                            /** Format: date-time */
                            updated_at: string;
                            video: {
                                asset_version: number;
                                duration_seconds: number | null;
                                has_captions: boolean;
                                has_transcript: boolean;
                                /** @enum {string} */
                                kind: "file" | "hls" | "embed";
                                mime_type: string;
                                poster_url: string | null;
                                trackable: boolean;
                                url: string;
                            } | null;
                        }[];
                        external_id: string | null;
                        grade_weights: {
                            homework: number;
                            tests: number;
                        } | null;
                        /** Format: uuid */
                        id: string;
                        instructor_ids: string[];
                        language: string;
                        /** @enum {string} */
                        level: "all" | "beginner" | "intermediate" | "advanced";
                        my: {
                            can_delete: boolean;
                            can_edit: boolean;
                            enrolled: boolean;
                            /** Format: uuid */
                            next_episode_id: string | null;
                            progress_percent: number;
                        };
                        owner_id: string;
                        passing_percent: number;
                        /** Format: date-time */
                        published_at: string | null;
                        sequential: boolean;
                        stats?: {
                            completed: number;
                            enrolled: number;
                            started: number;
                            weekly_activity: {
                                learners: number;
                                watched_seconds: number;
                                /** Format: date */
                                week: string;
                            }[];
                        };
                        /** @enum {string} */
                        status: "draft" | "published" | "archived";
                        tags: string[];
                        thumbnail_url: string | null;
                        title: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                        /** @enum {string} */
                        visibility: "public" | "tenant" | "private";
                    };
                };
            };
        };
    };
    getChannelsById: {
        parameters: {
            query?: {
                include?: "stats";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        category: string | null;
                        completion_threshold: number;
                        /** Format: date-time */
                        created_at: string;
                        description: string;
                        duration_seconds: number;
                        /** @enum {string} */
                        enrollment: "open" | "closed";
                        enrollment_count: number;
                        episode_count: number;
                        episodes: {
                            authors: string[];
                            /** Format: uuid */
                            channel_id: string;
                            /** Format: date-time */
                            created_at: string;
                            description: string;
                            duration_seconds: number | null;
                            homework_count: number;
                            /** Format: uuid */
                            id: string;
                            language: string | null;
                            my: {
                                completed: boolean;
                                locked: boolean;
                                position_seconds: number;
                                progress: number;
                            };
                            position: number;
                            /** Format: date */
                            recorded_on: string | null;
                            /** Format: date-time */
                            release_at: string | null;
                            season: number;
                            /** @enum {string} */
                            status: "draft" | "published";
                            test_count: number;
                            thumbnail_url: string | null;
                            title: string;
                            /** Format: date-time */
                            updated_at: string;
                            video: {
                                asset_version: number;
                                duration_seconds: number | null;
                                has_captions: boolean;
                                has_transcript: boolean;
                                /** @enum {string} */
                                kind: "file" | "hls" | "embed";
                                mime_type: string;
                                poster_url: string | null;
                                trackable: boolean;
                                url: string;
                            } | null;
                        }[];
                        external_id: string | null;
                        grade_weights: {
                            homework: number;
                            tests: number;
                        } | null;
                        /** Format: uuid */
                        id: string;
                        instructor_ids: string[];
                        language: string;
                        /** @enum {string} */
                        level: "all" | "beginner" | "intermediate" | "advanced";
                        my: {
                            can_delete: boolean;
                            can_edit: boolean;
                            enrolled: boolean;
                            /** Format: uuid */
                            next_episode_id: string | null;
                            progress_percent: number;
                        };
                        owner_id: string;
                        passing_percent: number;
                        /** Format: date-time */
                        published_at: string | null;
                        sequential: boolean;
                        stats?: {
                            completed: number;
                            enrolled: number;
                            started: number;
                            weekly_activity: {
                                learners: number;
                                watched_seconds: number;
                                /** Format: date */
                                week: string;
                            }[];
                        };
                        /** @enum {string} */
                        status: "draft" | "published" | "archived";
                        tags: string[];
                        thumbnail_url: string | null;
                        title: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                        /** @enum {string} */
                        visibility: "public" | "tenant" | "private";
                    };
                };
            };
        };
    };
    putChannelsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    category?: string | null;
                    completion_threshold?: number | null;
                    description?: string | null;
                    /** @enum {string|null} */
                    enrollment?: "open" | "closed" | null;
                    episodes?: {
                        authors?: string[] | null;
                        deleted?: boolean | null;
                        description?: string | null;
                        /** Format: uuid */
                        id?: string | null;
                        language?: string | null;
                        /** Format: date */
                        recorded_on?: string | null;
                        /** Format: date-time */
                        release_at?: string | null;
                        season?: number | null;
                        /** @enum {string|null} */
                        status?: "draft" | "published" | null;
                        thumbnail_url?: string | null;
                        title?: string;
                        video?: {
                            captions?: {
                                default?: boolean | null;
                                /** @enum {string|null} */
                                kind?: "subtitles" | "captions" | "descriptions" | null;
                                label?: string | null;
                                lang: string;
                                url: string;
                            }[] | null;
                            chapters?: {
                                start_seconds: number;
                                title: string;
                            }[] | null;
                            completion_threshold?: number | null;
                            duration_seconds?: number | null;
                            height?: number | null;
                            /** @enum {string|null} */
                            kind?: "file" | "hls" | "embed" | null;
                            mime_type?: string | null;
                            poster_url?: string | null;
                            sha256?: string | null;
                            size_bytes?: number | null;
                            sources?: {
                                height?: number | null;
                                mime_type?: string | null;
                                size_bytes?: number | null;
                                url: string;
                            }[] | null;
                            strict_watch?: boolean | null;
                            transcript?: string | null;
                            url?: string;
                            width?: number | null;
                        } | null;
                    }[] | null;
                    grade_weights?: {
                        homework: number;
                        tests: number;
                    } | null;
                    instructor_ids?: string[] | null;
                    language?: string | null;
                    /** @enum {string|null} */
                    level?: "all" | "beginner" | "intermediate" | "advanced" | null;
                    owner_id?: string | null;
                    passing_percent?: number | null;
                    sequential?: boolean | null;
                    /** @enum {string|null} */
                    status?: "draft" | "published" | "archived" | null;
                    tags?: string[] | null;
                    thumbnail_url?: string | null;
                    title?: string;
                    /** @enum {string|null} */
                    visibility?: "public" | "tenant" | "private" | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        category: string | null;
                        completion_threshold: number;
                        /** Format: date-time */
                        created_at: string;
                        description: string;
                        duration_seconds: number;
                        /** @enum {string} */
                        enrollment: "open" | "closed";
                        enrollment_count: number;
                        episode_count: number;
                        episodes: {
                            authors: string[];
                            /** Format: uuid */
                            channel_id: string;
                            /** Format: date-time */
                            created_at: string;
                            description: string;
                            duration_seconds: number | null;
                            homework_count: number;
                            /** Format: uuid */
                            id: string;
                            language: string | null;
                            my: {
                                completed: boolean;
                                locked: boolean;
                                position_seconds: number;
                                progress: number;
                            };
                            position: number;
                            /** Format: date */
                            recorded_on: string | null;
                            /** Format: date-time */
                            release_at: string | null;
                            season: number;
                            /** @enum {string} */
                            status: "draft" | "published";
                            test_count: number;
                            thumbnail_url: string | null;
                            title: string;
                            /** Format: date-time */
                            updated_at: string;
                            video: {
                                asset_version: number;
                                duration_seconds: number | null;
                                has_captions: boolean;
                                has_transcript: boolean;
                                /** @enum {string} */
                                kind: "file" | "hls" | "embed";
                                mime_type: string;
                                poster_url: string | null;
                                trackable: boolean;
                                url: string;
                            } | null;
                        }[];
                        external_id: string | null;
                        grade_weights: {
                            homework: number;
                            tests: number;
                        } | null;
                        /** Format: uuid */
                        id: string;
                        instructor_ids: string[];
                        language: string;
                        /** @enum {string} */
                        level: "all" | "beginner" | "intermediate" | "advanced";
                        my: {
                            can_delete: boolean;
                            can_edit: boolean;
                            enrolled: boolean;
                            /** Format: uuid */
                            next_episode_id: string | null;
                            progress_percent: number;
                        };
                        owner_id: string;
                        passing_percent: number;
                        /** Format: date-time */
                        published_at: string | null;
                        sequential: boolean;
                        stats?: {
                            completed: number;
                            enrolled: number;
                            started: number;
                            weekly_activity: {
                                learners: number;
                                watched_seconds: number;
                                /** Format: date */
                                week: string;
                            }[];
                        };
                        /** @enum {string} */
                        status: "draft" | "published" | "archived";
                        tags: string[];
                        thumbnail_url: string | null;
                        title: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                        /** @enum {string} */
                        visibility: "public" | "tenant" | "private";
                    };
                };
            };
        };
    };
    deleteChannelsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        deleted: true;
                        /** Format: date-time */
                        deleted_at: string;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    postChannelsByIdCertificate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        channel_id: string;
                        channel_title: string;
                        code: string;
                        /** Format: date-time */
                        issued_at: string;
                        issuer: string;
                        pdf_url: string;
                        person_name: string;
                        url: string;
                    };
                };
            };
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        channel_id: string;
                        channel_title: string;
                        code: string;
                        /** Format: date-time */
                        issued_at: string;
                        issuer: string;
                        pdf_url: string;
                        person_name: string;
                        url: string;
                    };
                };
            };
        };
    };
    postChannelsByIdCopy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    title?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        category: string | null;
                        completion_threshold: number;
                        /** Format: date-time */
                        created_at: string;
                        description: string;
                        duration_seconds: number;
                        /** @enum {string} */
                        enrollment: "open" | "closed";
                        enrollment_count: number;
                        episode_count: number;
                        episodes: {
                            authors: string[];
                            /** Format: uuid */
                            channel_id: string;
                            /** Format: date-time */
                            created_at: string;
                            description: string;
                            duration_seconds: number | null;
                            homework_count: number;
                            /** Format: uuid */
                            id: string;
                            language: string | null;
                            my: {
                                completed: boolean;
                                locked: boolean;
                                position_seconds: number;
                                progress: number;
                            };
                            position: number;
                            /** Format: date */
                            recorded_on: string | null;
                            /** Format: date-time */
                            release_at: string | null;
                            season: number;
                            /** @enum {string} */
                            status: "draft" | "published";
                            test_count: number;
                            thumbnail_url: string | null;
                            title: string;
                            /** Format: date-time */
                            updated_at: string;
                            video: {
                                asset_version: number;
                                duration_seconds: number | null;
                                has_captions: boolean;
                                has_transcript: boolean;
                                /** @enum {string} */
                                kind: "file" | "hls" | "embed";
                                mime_type: string;
                                poster_url: string | null;
                                trackable: boolean;
                                url: string;
                            } | null;
                        }[];
                        external_id: string | null;
                        grade_weights: {
                            homework: number;
                            tests: number;
                        } | null;
                        /** Format: uuid */
                        id: string;
                        instructor_ids: string[];
                        language: string;
                        /** @enum {string} */
                        level: "all" | "beginner" | "intermediate" | "advanced";
                        my: {
                            can_delete: boolean;
                            can_edit: boolean;
                            enrolled: boolean;
                            /** Format: uuid */
                            next_episode_id: string | null;
                            progress_percent: number;
                        };
                        owner_id: string;
                        passing_percent: number;
                        /** Format: date-time */
                        published_at: string | null;
                        sequential: boolean;
                        stats?: {
                            completed: number;
                            enrolled: number;
                            started: number;
                            weekly_activity: {
                                learners: number;
                                watched_seconds: number;
                                /** Format: date */
                                week: string;
                            }[];
                        };
                        /** @enum {string} */
                        status: "draft" | "published" | "archived";
                        tags: string[];
                        thumbnail_url: string | null;
                        title: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                        /** @enum {string} */
                        visibility: "public" | "tenant" | "private";
                    };
                };
            };
        };
    };
    postChannelsByIdFiles: {
        parameters: {
            query: {
                purpose: "picture" | "captions";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        channel_id: string;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        id: string;
                        mime_type: string;
                        name: string;
                        /** @enum {string} */
                        purpose: "picture" | "captions" | "attachment";
                        size_bytes: number;
                        url: string;
                    };
                };
            };
        };
    };
    getChannelsByIdLearners: {
        parameters: {
            query?: {
                cursor?: string;
                include?: "risk" | "work";
                page?: number;
                per_page?: number;
                user_id?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        channel: {
                            /** Format: uuid */
                            id: string;
                            passing_percent: number;
                            title: string;
                        };
                        items: {
                            display_name: string | null;
                            /** Format: date-time */
                            enrolled_at: string;
                            episodes_completed: number;
                            episodes_total: number;
                            final_percent: number | null;
                            grade_percent: number | null;
                            /** Format: date-time */
                            last_activity_at: string;
                            passed: boolean | null;
                            progress_percent: number;
                            reasons?: string[];
                            results?: {
                                /** Format: date-time */
                                extended_to: string | null;
                                /** Format: uuid */
                                id: string;
                                is_over: boolean;
                                /** @enum {string} */
                                kind: "homework" | "test";
                                percent: number | null;
                                score: number | null;
                                /** @enum {string} */
                                status: "none" | "submitted" | "graded" | "returned" | "taken";
                            }[];
                            risk?: number | null;
                            /** @enum {string} */
                            status: "active" | "completed";
                            user_email: string;
                            user_id: string;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                        work?: {
                            /** Format: date-time */
                            ends_at: string | null;
                            /** Format: uuid */
                            episode_id: string;
                            episode_title: string;
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            kind: "homework" | "test";
                            max_score: number;
                            passing_percent: number;
                            title: string;
                        }[];
                    };
                };
            };
        };
    };
    deleteChannelsByIdLearnersByUserId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        channel_id: string;
                        /** @enum {boolean} */
                        removed: true;
                        /** Format: uuid */
                        user_id: string;
                    };
                };
            };
        };
    };
    postChannelsByIdLetters: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    subject: string;
                    text: string;
                    user_ids: string[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sent: number;
                        unreachable: string[];
                    };
                };
            };
        };
    };
    getChannelsByIdTeachers: {
        parameters: {
            query?: {
                q?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        found: {
                            display_name: string | null;
                            email: string | null;
                            user_id: string;
                        }[];
                        items: {
                            display_name: string | null;
                            email: string | null;
                            is_owner: boolean;
                            user_id: string;
                        }[];
                        may_change: boolean;
                    };
                };
            };
        };
    };
    getChannelsChoices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        categories: string[];
                        languages: string[];
                        tags: string[];
                    };
                };
            };
        };
    };
    getCsrfToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        csrf_token: string;
                    };
                };
            };
        };
    };
    getDeviceFeedByChannelId: {
        parameters: {
            query?: {
                page?: number;
            };
            header?: never;
            path: {
                channel_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        _learning: {
                            /** Format: uuid */
                            channel_id: string;
                            channel_version: number;
                            episode_count: number;
                        };
                        description: string;
                        feed_url: string;
                        home_page_url: string;
                        icon?: string;
                        items: {
                            _learning: {
                                asset_version: number;
                                captions: {
                                    default: boolean;
                                    /** @enum {string} */
                                    kind: "subtitles" | "captions" | "descriptions";
                                    label: string;
                                    lang: string;
                                    url: string;
                                }[];
                                chapters: {
                                    start_seconds: number;
                                    title: string;
                                }[];
                                homework_count: number;
                                /** @enum {string} */
                                kind: "file" | "hls" | "embed";
                                position: number;
                                recorded_on?: string;
                                season: number;
                                sha256?: string;
                                test_count: number;
                            };
                            attachments?: {
                                duration_in_seconds?: number;
                                mime_type: string;
                                size_in_bytes?: number;
                                title: string;
                                url: string;
                            }[];
                            authors?: {
                                name: string;
                            }[];
                            content_text: string;
                            /** Format: date-time */
                            date_modified: string;
                            /** Format: date-time */
                            date_published: string;
                            external_url?: string;
                            /** Format: uuid */
                            id: string;
                            image?: string;
                            language: string;
                            summary: string;
                            tags?: string[];
                            title: string;
                            url: string;
                        }[];
                        language: string;
                        next_url?: string;
                        title: string;
                        /** @enum {string} */
                        version: "https://jsonfeed.org/version/1.1";
                    };
                };
            };
            /** @description No content */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postEnroll: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    channel_id: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        channel: {
                            /** Format: uuid */
                            id: string;
                            language: string;
                            thumbnail_url: string | null;
                            title: string;
                        };
                        /** Format: uuid */
                        channel_id: string;
                        /** Format: date-time */
                        completed_at: string | null;
                        /** Format: date-time */
                        created_at: string;
                        due_soon: {
                            /** Format: date-time */
                            due_at: string;
                            /** Format: uuid */
                            episode_id: string;
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            kind: "homework" | "test";
                            title: string;
                        }[];
                        /** Format: date-time */
                        enrolled_at: string;
                        episodes_completed: number;
                        episodes_total: number;
                        final_percent: number | null;
                        grade_percent: number | null;
                        /** Format: uuid */
                        id: string;
                        /** Format: date-time */
                        last_activity_at: string;
                        new_episodes_count: number;
                        /** Format: uuid */
                        next_episode_id: string | null;
                        passed: boolean;
                        passing_percent: number;
                        progress_percent: number;
                        /** @enum {string} */
                        source: "self" | "auto";
                        /** @enum {string} */
                        status: "active" | "completed";
                        /** Format: date-time */
                        updated_at: string;
                        user_id: string;
                    };
                };
            };
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        channel: {
                            /** Format: uuid */
                            id: string;
                            language: string;
                            thumbnail_url: string | null;
                            title: string;
                        };
                        /** Format: uuid */
                        channel_id: string;
                        /** Format: date-time */
                        completed_at: string | null;
                        /** Format: date-time */
                        created_at: string;
                        due_soon: {
                            /** Format: date-time */
                            due_at: string;
                            /** Format: uuid */
                            episode_id: string;
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            kind: "homework" | "test";
                            title: string;
                        }[];
                        /** Format: date-time */
                        enrolled_at: string;
                        episodes_completed: number;
                        episodes_total: number;
                        final_percent: number | null;
                        grade_percent: number | null;
                        /** Format: uuid */
                        id: string;
                        /** Format: date-time */
                        last_activity_at: string;
                        new_episodes_count: number;
                        /** Format: uuid */
                        next_episode_id: string | null;
                        passed: boolean;
                        passing_percent: number;
                        progress_percent: number;
                        /** @enum {string} */
                        source: "self" | "auto";
                        /** @enum {string} */
                        status: "active" | "completed";
                        /** Format: date-time */
                        updated_at: string;
                        user_id: string;
                    };
                };
            };
        };
    };
    getEnrollments: {
        parameters: {
            query?: {
                channel_id?: string;
                cursor?: string;
                include?: "activity";
                page?: number;
                per_page?: number;
                status?: "active" | "completed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        activity?: {
                            days: {
                                actions: number;
                                /** Format: date */
                                date: string;
                                watched_seconds: number;
                            }[];
                            streak_days: number;
                        };
                        items: {
                            channel: {
                                /** Format: uuid */
                                id: string;
                                language: string;
                                thumbnail_url: string | null;
                                title: string;
                            };
                            /** Format: uuid */
                            channel_id: string;
                            /** Format: date-time */
                            completed_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            due_soon: {
                                /** Format: date-time */
                                due_at: string;
                                /** Format: uuid */
                                episode_id: string;
                                /** Format: uuid */
                                id: string;
                                /** @enum {string} */
                                kind: "homework" | "test";
                                title: string;
                            }[];
                            /** Format: date-time */
                            enrolled_at: string;
                            episodes_completed: number;
                            episodes_total: number;
                            final_percent: number | null;
                            grade_percent: number | null;
                            /** Format: uuid */
                            id: string;
                            /** Format: date-time */
                            last_activity_at: string;
                            new_episodes_count: number;
                            /** Format: uuid */
                            next_episode_id: string | null;
                            passed: boolean;
                            passing_percent: number;
                            progress_percent: number;
                            /** @enum {string} */
                            source: "self" | "auto";
                            /** @enum {string} */
                            status: "active" | "completed";
                            /** Format: date-time */
                            updated_at: string;
                            user_id: string;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    deleteEnrollmentsByChannelId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                channel_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        channel_id: string;
                        /** @enum {boolean} */
                        left: true;
                    };
                };
            };
        };
    };
    getEpisodesByIdChanges: {
        parameters: {
            query?: {
                since?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changes: {
                            base?: unknown;
                            /** Format: date-time */
                            changed_at: string;
                            changed_by: {
                                display_name: string | null;
                                is_you: boolean;
                                user_id: string;
                            };
                            is_conflict: boolean;
                            is_open: boolean;
                            name: string;
                            published?: unknown;
                            value: unknown;
                            version: number;
                        }[];
                        gone: string[];
                        is_changed: boolean;
                        refused: string[];
                        /** @enum {string} */
                        status: "draft" | "published";
                        version: number;
                    };
                };
            };
        };
    };
    putEpisodesByIdChanges: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    changes: {
                        base?: unknown;
                        name: string;
                        over: number;
                        value: unknown;
                    }[];
                    since?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changes: {
                            base?: unknown;
                            /** Format: date-time */
                            changed_at: string;
                            changed_by: {
                                display_name: string | null;
                                is_you: boolean;
                                user_id: string;
                            };
                            is_conflict: boolean;
                            is_open: boolean;
                            name: string;
                            published?: unknown;
                            value: unknown;
                            version: number;
                        }[];
                        gone: string[];
                        is_changed: boolean;
                        refused: string[];
                        /** @enum {string} */
                        status: "draft" | "published";
                        version: number;
                    };
                };
            };
        };
    };
    deleteEpisodesByIdChanges: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changes: {
                            base?: unknown;
                            /** Format: date-time */
                            changed_at: string;
                            changed_by: {
                                display_name: string | null;
                                is_you: boolean;
                                user_id: string;
                            };
                            is_conflict: boolean;
                            is_open: boolean;
                            name: string;
                            published?: unknown;
                            value: unknown;
                            version: number;
                        }[];
                        gone: string[];
                        is_changed: boolean;
                        refused: string[];
                        /** @enum {string} */
                        status: "draft" | "published";
                        version: number;
                    };
                };
            };
        };
    };
    postEpisodesByIdCopy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    channel_id?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        channel_id: string;
                        /** Format: uuid */
                        episode_id: string;
                    };
                };
            };
        };
    };
    getEpisodesByIdHomework: {
        parameters: {
            query?: {
                cursor?: string;
                homework_id?: string;
                page?: number;
                per_page?: number;
                submission_page?: number;
                submission_per_page?: number;
                submissions?: "latest" | "all";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            due_at: string | null;
                            /** Format: uuid */
                            episode_id: string;
                            /** Format: uuid */
                            id: string;
                            instructions: string;
                            is_extended: boolean;
                            late_penalty_max_percent: number;
                            late_penalty_percent_per_day: number;
                            /** @enum {string} */
                            late_policy: "accept" | "penalize" | "reject";
                            /** Format: date-time */
                            lock_at: string | null;
                            max_score: number;
                            max_submissions: number;
                            my_history: {
                                attempt_number: number;
                                final_score: number | null;
                                /** Format: uuid */
                                id: string;
                                /** @enum {string} */
                                status: "submitted" | "graded" | "returned";
                                /** Format: date-time */
                                submitted_at: string;
                            }[];
                            my_submission: {
                                attachments: {
                                    mime_type: string | null;
                                    name: string | null;
                                    size_bytes: number | null;
                                    url: string;
                                }[];
                                attempt_number: number;
                                client_id: string | null;
                                /** Format: date-time */
                                created_at: string;
                                feedback: string;
                                final_score: number | null;
                                grade_matches_current_submission: boolean | null;
                                /** Format: date-time */
                                graded_at: string | null;
                                graded_by: string | null;
                                /** Format: uuid */
                                homework_id: string;
                                /** Format: uuid */
                                id: string;
                                is_late: boolean;
                                penalty_percent: number;
                                rubric_scores: {
                                    comment: string;
                                    points: number;
                                    /** Format: uuid */
                                    rubric_id: string;
                                }[];
                                score: number | null;
                                seconds_late: number;
                                /** @enum {string} */
                                status: "submitted" | "graded" | "returned";
                                /** Format: date-time */
                                submitted_at: string;
                                text: string | null;
                                /** Format: date-time */
                                updated_at: string;
                                url: string | null;
                                user_id: string;
                            } | null;
                            rubric: {
                                criterion: string;
                                /** Format: uuid */
                                id: string;
                                max_points: number;
                            }[];
                            /** @enum {string} */
                            status: "draft" | "published";
                            submission_count?: number;
                            submission_total?: number;
                            submission_types: ("text" | "url" | "file")[];
                            submissions?: {
                                attachments: {
                                    mime_type: string | null;
                                    name: string | null;
                                    size_bytes: number | null;
                                    url: string;
                                }[];
                                attempt_number: number;
                                /** Format: date-time */
                                created_at: string;
                                display_name?: string | null;
                                feedback: string;
                                final_score: number | null;
                                grade_matches_current_submission: boolean | null;
                                /** Format: date-time */
                                graded_at: string | null;
                                graded_by: string | null;
                                /** Format: uuid */
                                homework_id: string;
                                /** Format: uuid */
                                id: string;
                                is_late: boolean;
                                penalty_percent: number;
                                rubric_scores: {
                                    comment: string;
                                    points: number;
                                    /** Format: uuid */
                                    rubric_id: string;
                                }[];
                                score: number | null;
                                seconds_late: number;
                                /** @enum {string} */
                                status: "submitted" | "graded" | "returned";
                                /** Format: date-time */
                                submitted_at: string;
                                text: string | null;
                                text_truncated: boolean;
                                /** Format: date-time */
                                updated_at: string;
                                url: string | null;
                                user_email: string;
                                user_id: string;
                            }[];
                            submissions_left: number | null;
                            title: string;
                            ungraded_count?: number;
                            /** Format: date-time */
                            updated_at: string;
                            weight: number | null;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    postEpisodesByIdHomework: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: date-time */
                    due_at?: string | null;
                    instructions?: string | null;
                    late_penalty_max_percent?: number | null;
                    late_penalty_percent_per_day?: number | null;
                    /** @enum {string|null} */
                    late_policy?: "accept" | "penalize" | "reject" | null;
                    /** Format: date-time */
                    lock_at?: string | null;
                    max_score?: number | null;
                    max_submissions?: number | null;
                    rubric?: {
                        criterion: string;
                        id?: string | null;
                        max_points: number;
                    }[] | null;
                    /** @enum {string|null} */
                    status?: "draft" | "published" | null;
                    submission_types?: ("text" | "url" | "file")[] | null;
                    title: string;
                    weight?: number | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        due_at: string | null;
                        /** Format: uuid */
                        episode_id: string;
                        /** Format: uuid */
                        id: string;
                        instructions: string;
                        is_extended: boolean;
                        late_penalty_max_percent: number;
                        late_penalty_percent_per_day: number;
                        /** @enum {string} */
                        late_policy: "accept" | "penalize" | "reject";
                        /** Format: date-time */
                        lock_at: string | null;
                        max_score: number;
                        max_submissions: number;
                        my_history: {
                            attempt_number: number;
                            final_score: number | null;
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            status: "submitted" | "graded" | "returned";
                            /** Format: date-time */
                            submitted_at: string;
                        }[];
                        my_submission: {
                            attachments: {
                                mime_type: string | null;
                                name: string | null;
                                size_bytes: number | null;
                                url: string;
                            }[];
                            attempt_number: number;
                            client_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            feedback: string;
                            final_score: number | null;
                            grade_matches_current_submission: boolean | null;
                            /** Format: date-time */
                            graded_at: string | null;
                            graded_by: string | null;
                            /** Format: uuid */
                            homework_id: string;
                            /** Format: uuid */
                            id: string;
                            is_late: boolean;
                            penalty_percent: number;
                            rubric_scores: {
                                comment: string;
                                points: number;
                                /** Format: uuid */
                                rubric_id: string;
                            }[];
                            score: number | null;
                            seconds_late: number;
                            /** @enum {string} */
                            status: "submitted" | "graded" | "returned";
                            /** Format: date-time */
                            submitted_at: string;
                            text: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            url: string | null;
                            user_id: string;
                        } | null;
                        rubric: {
                            criterion: string;
                            /** Format: uuid */
                            id: string;
                            max_points: number;
                        }[];
                        /** @enum {string} */
                        status: "draft" | "published";
                        submission_count: number;
                        submission_total: number;
                        submission_types: ("text" | "url" | "file")[];
                        submissions: {
                            attachments: {
                                mime_type: string | null;
                                name: string | null;
                                size_bytes: number | null;
                                url: string;
                            }[];
                            attempt_number: number;
                            /** Format: date-time */
                            created_at: string;
                            display_name?: string | null;
                            feedback: string;
                            final_score: number | null;
                            grade_matches_current_submission: boolean | null;
                            /** Format: date-time */
                            graded_at: string | null;
                            graded_by: string | null;
                            /** Format: uuid */
                            homework_id: string;
                            /** Format: uuid */
                            id: string;
                            is_late: boolean;
                            penalty_percent: number;
                            rubric_scores: {
                                comment: string;
                                points: number;
                                /** Format: uuid */
                                rubric_id: string;
                            }[];
                            score: number | null;
                            seconds_late: number;
                            /** @enum {string} */
                            status: "submitted" | "graded" | "returned";
                            /** Format: date-time */
                            submitted_at: string;
                            text: string | null;
                            text_truncated: boolean;
                            /** Format: date-time */
                            updated_at: string;
                            url: string | null;
                            user_email: string;
                            user_id: string;
                        }[];
                        submissions_left: number | null;
                        title: string;
                        ungraded_count: number;
                        /** Format: date-time */
                        updated_at: string;
                        weight: number | null;
                    };
                };
            };
        };
    };
    postEpisodesByIdMove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    channel_id: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        channel_id: string;
                        /** Format: uuid */
                        episode_id: string;
                    };
                };
            };
        };
    };
    postEpisodesByIdNotes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    at_seconds: number;
                    client_id?: string | null;
                    text?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        at_seconds: number;
                        /** Format: uuid */
                        channel_id: string;
                        channel_title: string | null;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        episode_id: string;
                        episode_title: string | null;
                        /** Format: uuid */
                        id: string;
                        text: string;
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        at_seconds: number;
                        /** Format: uuid */
                        channel_id: string;
                        channel_title: string | null;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        episode_id: string;
                        episode_title: string | null;
                        /** Format: uuid */
                        id: string;
                        text: string;
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
        };
    };
    getEpisodesByIdPosts: {
        parameters: {
            query?: {
                cursor?: string;
                page?: number;
                per_page?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            answer_count: number;
                            answers: {
                                at_seconds: number | null;
                                author: {
                                    email: string | null;
                                    is_teacher: boolean;
                                    is_you: boolean;
                                    name: string | null;
                                };
                                /** Format: date-time */
                                created_at: string;
                                deleted: boolean;
                                /** Format: date-time */
                                edited_at: string | null;
                                /** Format: uuid */
                                episode_id: string;
                                hidden: boolean;
                                /** Format: uuid */
                                id: string;
                                /** Format: uuid */
                                question_id: string | null;
                                text: string;
                            }[];
                            at_seconds: number | null;
                            author: {
                                email: string | null;
                                is_teacher: boolean;
                                is_you: boolean;
                                name: string | null;
                            };
                            /** Format: date-time */
                            created_at: string;
                            deleted: boolean;
                            /** Format: date-time */
                            edited_at: string | null;
                            /** Format: uuid */
                            episode_id: string;
                            hidden: boolean;
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            question_id: string | null;
                            text: string;
                        }[];
                        may_moderate: boolean;
                        may_write: boolean;
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    postEpisodesByIdPosts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    at_seconds?: number | null;
                    client_id?: string | null;
                    /** Format: uuid */
                    question_id?: string | null;
                    text: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        at_seconds: number | null;
                        author: {
                            email: string | null;
                            is_teacher: boolean;
                            is_you: boolean;
                            name: string | null;
                        };
                        /** Format: date-time */
                        created_at: string;
                        deleted: boolean;
                        /** Format: date-time */
                        edited_at: string | null;
                        /** Format: uuid */
                        episode_id: string;
                        hidden: boolean;
                        /** Format: uuid */
                        id: string;
                        /** Format: uuid */
                        question_id: string | null;
                        text: string;
                    };
                };
            };
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        at_seconds: number | null;
                        author: {
                            email: string | null;
                            is_teacher: boolean;
                            is_you: boolean;
                            name: string | null;
                        };
                        /** Format: date-time */
                        created_at: string;
                        deleted: boolean;
                        /** Format: date-time */
                        edited_at: string | null;
                        /** Format: uuid */
                        episode_id: string;
                        hidden: boolean;
                        /** Format: uuid */
                        id: string;
                        /** Format: uuid */
                        question_id: string | null;
                        text: string;
                    };
                };
            };
        };
    };
    postEpisodesByIdPublish: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changes: {
                            base?: unknown;
                            /** Format: date-time */
                            changed_at: string;
                            changed_by: {
                                display_name: string | null;
                                is_you: boolean;
                                user_id: string;
                            };
                            is_conflict: boolean;
                            is_open: boolean;
                            name: string;
                            published?: unknown;
                            value: unknown;
                            version: number;
                        }[];
                        gone: string[];
                        is_changed: boolean;
                        is_published: boolean;
                        refused: string[];
                        /** @enum {string} */
                        status: "draft" | "published";
                        version: number;
                    };
                };
            };
        };
    };
    getEpisodesByIdTests: {
        parameters: {
            query?: {
                cursor?: string;
                page?: number;
                per_page?: number;
                result_page?: number;
                test_id?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: date-time */
                            closes_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            description: string;
                            /** Format: uuid */
                            episode_id: string;
                            /** @enum {string} */
                            feedback_policy: "score" | "after_final" | "per_question";
                            /** Format: uuid */
                            id: string;
                            is_extended: boolean;
                            max_attempts: number;
                            max_score: number;
                            my: {
                                attempts_left: number | null;
                                attempts_used: number;
                                history: {
                                    /** Format: uuid */
                                    id: string;
                                    max_score: number;
                                    number: number;
                                    percent: number | null;
                                    score: number;
                                    /** @enum {string} */
                                    status: "graded" | "expired";
                                    /** Format: date-time */
                                    submitted_at: string;
                                }[];
                                kept_percent: number | null;
                                kept_score: number | null;
                                /** Format: date-time */
                                next_attempt_at: string | null;
                                open_attempt: {
                                    /** Format: date-time */
                                    expires_at: string | null;
                                    number: number;
                                    /** Format: date-time */
                                    opened_at: string;
                                } | null;
                                passed: boolean | null;
                            };
                            /** Format: date-time */
                            opens_at: string | null;
                            passing_percent: number | null;
                            question_count: number;
                            result_page?: number;
                            result_total?: number;
                            results?: {
                                attempts: number;
                                display_name?: string | null;
                                kept_percent: number | null;
                                /** Format: date-time */
                                last_submitted_at: string;
                                passed: boolean | null;
                                user_email: string | null;
                                user_id: string;
                            }[];
                            retry_delay_seconds: number;
                            /** @enum {string} */
                            score_policy: "best" | "latest" | "average" | "first";
                            show_explanations: boolean;
                            show_right_answers: boolean;
                            shuffle_options: boolean;
                            shuffle_questions: boolean;
                            stats?: {
                                attempt_count: number;
                                histogram: number[];
                                learner_count: number;
                                mean_percent: number | null;
                                pass_rate: number | null;
                                questions?: {
                                    difficulty: number | null;
                                    discrimination: number | null;
                                    n: number;
                                    options: {
                                        id: string;
                                        share: number;
                                    }[];
                                    /** Format: uuid */
                                    question_id: string;
                                }[];
                            };
                            /** @enum {string} */
                            status: "draft" | "published";
                            time_limit_seconds: number | null;
                            title: string;
                            /** Format: date-time */
                            updated_at: string;
                            weight: number | null;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    postEpisodesByIdTests: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: date-time */
                    closes_at?: string | null;
                    description?: string | null;
                    /** @enum {string|null} */
                    feedback_policy?: "score" | "after_final" | "per_question" | null;
                    max_attempts?: number | null;
                    /** Format: date-time */
                    opens_at?: string | null;
                    passing_percent?: number | null;
                    retry_delay_seconds?: number | null;
                    /** @enum {string|null} */
                    score_policy?: "best" | "latest" | "average" | "first" | null;
                    show_explanations?: boolean | null;
                    show_right_answers?: boolean | null;
                    shuffle_options?: boolean | null;
                    shuffle_questions?: boolean | null;
                    /** @enum {string|null} */
                    status?: "draft" | "published" | null;
                    time_limit_seconds?: number | null;
                    title: string;
                    weight?: number | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        closes_at: string | null;
                        /** Format: date-time */
                        created_at: string;
                        description: string;
                        /** Format: uuid */
                        episode_id: string;
                        /** @enum {string} */
                        feedback_policy: "score" | "after_final" | "per_question";
                        /** Format: uuid */
                        id: string;
                        is_extended: boolean;
                        max_attempts: number;
                        max_score: number;
                        my: {
                            attempts_left: number | null;
                            attempts_used: number;
                            history: {
                                /** Format: uuid */
                                id: string;
                                max_score: number;
                                number: number;
                                percent: number | null;
                                score: number;
                                /** @enum {string} */
                                status: "graded" | "expired";
                                /** Format: date-time */
                                submitted_at: string;
                            }[];
                            kept_percent: number | null;
                            kept_score: number | null;
                            /** Format: date-time */
                            next_attempt_at: string | null;
                            open_attempt: {
                                /** Format: date-time */
                                expires_at: string | null;
                                number: number;
                                /** Format: date-time */
                                opened_at: string;
                            } | null;
                            passed: boolean | null;
                        };
                        /** Format: date-time */
                        opens_at: string | null;
                        passing_percent: number | null;
                        question_count: number;
                        result_page?: number;
                        result_total?: number;
                        results?: {
                            attempts: number;
                            display_name?: string | null;
                            kept_percent: number | null;
                            /** Format: date-time */
                            last_submitted_at: string;
                            passed: boolean | null;
                            user_email: string | null;
                            user_id: string;
                        }[];
                        retry_delay_seconds: number;
                        /** @enum {string} */
                        score_policy: "best" | "latest" | "average" | "first";
                        show_explanations: boolean;
                        show_right_answers: boolean;
                        shuffle_options: boolean;
                        shuffle_questions: boolean;
                        stats?: {
                            attempt_count: number;
                            histogram: number[];
                            learner_count: number;
                            mean_percent: number | null;
                            pass_rate: number | null;
                            questions?: {
                                difficulty: number | null;
                                discrimination: number | null;
                                n: number;
                                options: {
                                    id: string;
                                    share: number;
                                }[];
                                /** Format: uuid */
                                question_id: string;
                            }[];
                        };
                        /** @enum {string} */
                        status: "draft" | "published";
                        time_limit_seconds: number | null;
                        title: string;
                        /** Format: date-time */
                        updated_at: string;
                        weight: number | null;
                    };
                };
            };
        };
    };
    getEpisodesByIdVideo: {
        parameters: {
            query?: {
                include?: "stats";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        asset_version: number;
                        captions: {
                            default: boolean;
                            /** @enum {string} */
                            kind: "subtitles" | "captions" | "descriptions";
                            label: string;
                            lang: string;
                            url: string;
                        }[];
                        chapters: {
                            start_seconds: number;
                            title: string;
                        }[];
                        completion_threshold: number | null;
                        /** Format: date-time */
                        created_at: string;
                        duration_seconds: number | null;
                        embed_url: string | null;
                        /** Format: uuid */
                        episode_id: string;
                        height: number | null;
                        /** Format: uuid */
                        id: string;
                        /** @enum {string} */
                        kind: "file" | "hls" | "embed";
                        mime_type: string;
                        poster_url: string | null;
                        sha256: string | null;
                        size_bytes: number | null;
                        sources: {
                            height: number | null;
                            mime_type: string;
                            size_bytes: number | null;
                            url: string;
                        }[];
                        stats?: {
                            average_percent: number;
                            completed: number;
                            retention: number[];
                            rewatch: number[];
                            viewers: number;
                        };
                        strict_watch: boolean;
                        trackable: boolean;
                        transcript: string;
                        /** Format: date-time */
                        updated_at: string;
                        url: string;
                        width: number | null;
                    };
                };
            };
        };
    };
    postEpisodesByIdVideo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    captions?: {
                        default?: boolean | null;
                        /** @enum {string|null} */
                        kind?: "subtitles" | "captions" | "descriptions" | null;
                        label?: string | null;
                        lang: string;
                        url: string;
                    }[] | null;
                    /** Format: uuid */
                    channel_id?: string | null;
                    chapters?: {
                        start_seconds: number;
                        title: string;
                    }[] | null;
                    completion_threshold?: number | null;
                    duration_seconds?: number | null;
                    height?: number | null;
                    /** @enum {string|null} */
                    kind?: "file" | "hls" | "embed" | null;
                    mime_type?: string | null;
                    poster_url?: string | null;
                    sha256?: string | null;
                    size_bytes?: number | null;
                    sources?: {
                        height?: number | null;
                        mime_type?: string | null;
                        size_bytes?: number | null;
                        url: string;
                    }[] | null;
                    strict_watch?: boolean | null;
                    title?: string | null;
                    transcript?: string | null;
                    url?: string;
                    width?: number | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        asset_version: number;
                        captions: {
                            default: boolean;
                            /** @enum {string} */
                            kind: "subtitles" | "captions" | "descriptions";
                            label: string;
                            lang: string;
                            url: string;
                        }[];
                        chapters: {
                            start_seconds: number;
                            title: string;
                        }[];
                        completion_threshold: number | null;
                        /** Format: date-time */
                        created_at: string;
                        duration_seconds: number | null;
                        embed_url: string | null;
                        /** Format: uuid */
                        episode_id: string;
                        height: number | null;
                        /** Format: uuid */
                        id: string;
                        /** @enum {string} */
                        kind: "file" | "hls" | "embed";
                        mime_type: string;
                        poster_url: string | null;
                        sha256: string | null;
                        size_bytes: number | null;
                        sources: {
                            height: number | null;
                            mime_type: string;
                            size_bytes: number | null;
                            url: string;
                        }[];
                        stats?: {
                            average_percent: number;
                            completed: number;
                            retention: number[];
                            rewatch: number[];
                            viewers: number;
                        };
                        strict_watch: boolean;
                        trackable: boolean;
                        transcript: string;
                        /** Format: date-time */
                        updated_at: string;
                        url: string;
                        width: number | null;
                    };
                };
            };
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        asset_version: number;
                        captions: {
                            default: boolean;
                            /** @enum {string} */
                            kind: "subtitles" | "captions" | "descriptions";
                            label: string;
                            lang: string;
                            url: string;
                        }[];
                        chapters: {
                            start_seconds: number;
                            title: string;
                        }[];
                        completion_threshold: number | null;
                        /** Format: date-time */
                        created_at: string;
                        duration_seconds: number | null;
                        embed_url: string | null;
                        /** Format: uuid */
                        episode_id: string;
                        height: number | null;
                        /** Format: uuid */
                        id: string;
                        /** @enum {string} */
                        kind: "file" | "hls" | "embed";
                        mime_type: string;
                        poster_url: string | null;
                        sha256: string | null;
                        size_bytes: number | null;
                        sources: {
                            height: number | null;
                            mime_type: string;
                            size_bytes: number | null;
                            url: string;
                        }[];
                        stats?: {
                            average_percent: number;
                            completed: number;
                            retention: number[];
                            rewatch: number[];
                            viewers: number;
                        };
                        strict_watch: boolean;
                        trackable: boolean;
                        transcript: string;
                        /** Format: date-time */
                        updated_at: string;
                        url: string;
                        width: number | null;
                    };
                };
            };
        };
    };
    putEpisodesHomeworkById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: date-time */
                    due_at?: string | null;
                    instructions?: string | null;
                    late_penalty_max_percent?: number | null;
                    late_penalty_percent_per_day?: number | null;
                    /** @enum {string|null} */
                    late_policy?: "accept" | "penalize" | "reject" | null;
                    /** Format: date-time */
                    lock_at?: string | null;
                    max_score?: number | null;
                    max_submissions?: number | null;
                    rubric?: {
                        criterion: string;
                        id?: string | null;
                        max_points: number;
                    }[] | null;
                    /** @enum {string|null} */
                    status?: "draft" | "published" | null;
                    submission_types?: ("text" | "url" | "file")[] | null;
                    title?: string;
                    weight?: number | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        due_at: string | null;
                        /** Format: uuid */
                        episode_id: string;
                        /** Format: uuid */
                        id: string;
                        instructions: string;
                        is_extended: boolean;
                        late_penalty_max_percent: number;
                        late_penalty_percent_per_day: number;
                        /** @enum {string} */
                        late_policy: "accept" | "penalize" | "reject";
                        /** Format: date-time */
                        lock_at: string | null;
                        max_score: number;
                        max_submissions: number;
                        my_history: {
                            attempt_number: number;
                            final_score: number | null;
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            status: "submitted" | "graded" | "returned";
                            /** Format: date-time */
                            submitted_at: string;
                        }[];
                        my_submission: {
                            attachments: {
                                mime_type: string | null;
                                name: string | null;
                                size_bytes: number | null;
                                url: string;
                            }[];
                            attempt_number: number;
                            client_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            feedback: string;
                            final_score: number | null;
                            grade_matches_current_submission: boolean | null;
                            /** Format: date-time */
                            graded_at: string | null;
                            graded_by: string | null;
                            /** Format: uuid */
                            homework_id: string;
                            /** Format: uuid */
                            id: string;
                            is_late: boolean;
                            penalty_percent: number;
                            rubric_scores: {
                                comment: string;
                                points: number;
                                /** Format: uuid */
                                rubric_id: string;
                            }[];
                            score: number | null;
                            seconds_late: number;
                            /** @enum {string} */
                            status: "submitted" | "graded" | "returned";
                            /** Format: date-time */
                            submitted_at: string;
                            text: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            url: string | null;
                            user_id: string;
                        } | null;
                        rubric: {
                            criterion: string;
                            /** Format: uuid */
                            id: string;
                            max_points: number;
                        }[];
                        /** @enum {string} */
                        status: "draft" | "published";
                        submission_count: number;
                        submission_total: number;
                        submission_types: ("text" | "url" | "file")[];
                        submissions: {
                            attachments: {
                                mime_type: string | null;
                                name: string | null;
                                size_bytes: number | null;
                                url: string;
                            }[];
                            attempt_number: number;
                            /** Format: date-time */
                            created_at: string;
                            display_name?: string | null;
                            feedback: string;
                            final_score: number | null;
                            grade_matches_current_submission: boolean | null;
                            /** Format: date-time */
                            graded_at: string | null;
                            graded_by: string | null;
                            /** Format: uuid */
                            homework_id: string;
                            /** Format: uuid */
                            id: string;
                            is_late: boolean;
                            penalty_percent: number;
                            rubric_scores: {
                                comment: string;
                                points: number;
                                /** Format: uuid */
                                rubric_id: string;
                            }[];
                            score: number | null;
                            seconds_late: number;
                            /** @enum {string} */
                            status: "submitted" | "graded" | "returned";
                            /** Format: date-time */
                            submitted_at: string;
                            text: string | null;
                            text_truncated: boolean;
                            /** Format: date-time */
                            updated_at: string;
                            url: string | null;
                            user_email: string;
                            user_id: string;
                        }[];
                        submissions_left: number | null;
                        title: string;
                        ungraded_count: number;
                        /** Format: date-time */
                        updated_at: string;
                        weight: number | null;
                    };
                };
            };
        };
    };
    deleteEpisodesHomeworkById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        deleted: true;
                        /** Format: date-time */
                        deleted_at: string;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    putEpisodesHomeworkByIdDeadlinesByUserId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: date-time */
                    until: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        until: string;
                        /** Format: uuid */
                        user_id: string;
                        /** Format: uuid */
                        work_id: string;
                    };
                };
            };
        };
    };
    deleteEpisodesHomeworkByIdDeadlinesByUserId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        removed: true;
                        /** Format: uuid */
                        user_id: string;
                        /** Format: uuid */
                        work_id: string;
                    };
                };
            };
        };
    };
    getEpisodesHomeworkByIdDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attachments?: {
                            at: number;
                            value: string;
                        };
                        submissions: number;
                        text?: {
                            at: number;
                            value: string;
                        };
                        url?: {
                            at: number;
                            value: string;
                        };
                    };
                };
            };
        };
    };
    putEpisodesHomeworkByIdDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    attachments?: {
                        at: number;
                        value: string;
                    };
                    submissions: number;
                    text?: {
                        at: number;
                        value: string;
                    };
                    url?: {
                        at: number;
                        value: string;
                    };
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attachments?: {
                            at: number;
                            value: string;
                        };
                        submissions: number;
                        text?: {
                            at: number;
                            value: string;
                        };
                        url?: {
                            at: number;
                            value: string;
                        };
                    };
                };
            };
        };
    };
    postEpisodesHomeworkByIdFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        channel_id: string;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        id: string;
                        mime_type: string;
                        name: string;
                        /** @enum {string} */
                        purpose: "picture" | "captions" | "attachment";
                        size_bytes: number;
                        url: string;
                    };
                };
            };
        };
    };
    postEpisodesHomeworkByIdSubmit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    attachments?: {
                        mime_type?: string | null;
                        name?: string | null;
                        size_bytes?: number | null;
                        url: string;
                    }[] | null;
                    client_id?: string | null;
                    text?: string | null;
                    url?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attachments: {
                            mime_type: string | null;
                            name: string | null;
                            size_bytes: number | null;
                            url: string;
                        }[];
                        attempt_number: number;
                        client_id: string | null;
                        /** Format: date-time */
                        created_at: string;
                        feedback: string;
                        final_score: number | null;
                        grade_matches_current_submission: boolean | null;
                        /** Format: date-time */
                        graded_at: string | null;
                        graded_by: string | null;
                        /** Format: uuid */
                        homework_id: string;
                        /** Format: uuid */
                        id: string;
                        is_late: boolean;
                        penalty_percent: number;
                        rubric_scores: {
                            comment: string;
                            points: number;
                            /** Format: uuid */
                            rubric_id: string;
                        }[];
                        score: number | null;
                        seconds_late: number;
                        /** @enum {string} */
                        status: "submitted" | "graded" | "returned";
                        /** Format: date-time */
                        submitted_at: string;
                        text: string | null;
                        /** Format: date-time */
                        updated_at: string;
                        url: string | null;
                        user_id: string;
                    };
                };
            };
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attachments: {
                            mime_type: string | null;
                            name: string | null;
                            size_bytes: number | null;
                            url: string;
                        }[];
                        attempt_number: number;
                        client_id: string | null;
                        /** Format: date-time */
                        created_at: string;
                        feedback: string;
                        final_score: number | null;
                        grade_matches_current_submission: boolean | null;
                        /** Format: date-time */
                        graded_at: string | null;
                        graded_by: string | null;
                        /** Format: uuid */
                        homework_id: string;
                        /** Format: uuid */
                        id: string;
                        is_late: boolean;
                        penalty_percent: number;
                        rubric_scores: {
                            comment: string;
                            points: number;
                            /** Format: uuid */
                            rubric_id: string;
                        }[];
                        score: number | null;
                        seconds_late: number;
                        /** @enum {string} */
                        status: "submitted" | "graded" | "returned";
                        /** Format: date-time */
                        submitted_at: string;
                        text: string | null;
                        /** Format: date-time */
                        updated_at: string;
                        url: string | null;
                        user_id: string;
                    };
                };
            };
        };
    };
    putEpisodesHomeworkSubmissionsByIdGrade: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    feedback?: string | null;
                    rubric_scores?: {
                        comment?: string | null;
                        points: number;
                        /** Format: uuid */
                        rubric_id: string;
                    }[] | null;
                    score?: number | null;
                    /** @enum {string|null} */
                    status?: "graded" | "returned" | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attachments: {
                            mime_type: string | null;
                            name: string | null;
                            size_bytes: number | null;
                            url: string;
                        }[];
                        attempt_number: number;
                        /** Format: date-time */
                        created_at: string;
                        display_name?: string | null;
                        feedback: string;
                        final_score: number | null;
                        grade_matches_current_submission: boolean | null;
                        /** Format: date-time */
                        graded_at: string | null;
                        graded_by: string | null;
                        /** Format: uuid */
                        homework_id: string;
                        /** Format: uuid */
                        id: string;
                        is_late: boolean;
                        penalty_percent: number;
                        rubric_scores: {
                            comment: string;
                            points: number;
                            /** Format: uuid */
                            rubric_id: string;
                        }[];
                        score: number | null;
                        seconds_late: number;
                        /** @enum {string} */
                        status: "submitted" | "graded" | "returned";
                        /** Format: date-time */
                        submitted_at: string;
                        text: string | null;
                        text_truncated: boolean;
                        /** Format: date-time */
                        updated_at: string;
                        url: string | null;
                        user_email: string;
                        user_id: string;
                    };
                };
            };
        };
    };
    putEpisodesQuestionsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    accepted?: {
                        fraction?: number | null;
                        max?: number | string;
                        min?: number | string;
                        text?: string;
                        tolerance?: number | string | null;
                        /** @enum {string|null} */
                        tolerance_type?: "absolute" | "relative" | null;
                        value?: number | string;
                    }[];
                    case_sensitive?: boolean | null;
                    correct?: boolean;
                    distractors?: (string | {
                        id?: string | null;
                        text: string;
                    })[] | null;
                    explanation?: string | null;
                    feedback_if_false?: string | null;
                    feedback_if_true?: string | null;
                    ignore_accents?: boolean | null;
                    items?: (string | {
                        id?: string | null;
                        text: string;
                    })[];
                    options?: {
                        correct?: boolean | null;
                        feedback?: string | null;
                        fraction?: number | null;
                        id?: string | null;
                        text: string;
                    }[];
                    pairs?: {
                        left: string;
                        left_id?: string | null;
                        right: string;
                        right_id?: string | null;
                    }[];
                    points?: number | null;
                    position?: number | null;
                    prompt?: string;
                    /** @enum {string|null} */
                    regrade?: "recalculate" | "full_credit" | "none" | null;
                    /** @enum {string|null} */
                    scoring?: "partial" | "all_or_nothing" | null;
                    /** @enum {string} */
                    type?: "single_choice" | "multiple_choice" | "true_false" | "short_answer" | "numeric" | "matching" | "ordering";
                    unit?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accepted?: {
                            fraction: number;
                            max?: number | string;
                            min?: number | string;
                            text?: string;
                            tolerance?: number | string;
                            /** @enum {string} */
                            tolerance_type?: "absolute" | "relative";
                            value?: number | string;
                        }[];
                        case_sensitive?: boolean;
                        correct?: boolean;
                        /** Format: date-time */
                        created_at: string;
                        distractors?: {
                            id: string;
                            text: string;
                        }[];
                        explanation: string;
                        feedback_if_false?: string;
                        feedback_if_true?: string;
                        /** Format: uuid */
                        id: string;
                        ignore_accents?: boolean;
                        items?: {
                            id: string;
                            text: string;
                        }[];
                        options?: {
                            correct: boolean;
                            feedback: string | null;
                            fraction: number | null;
                            id: string;
                            text: string;
                        }[];
                        pairs?: {
                            left: string;
                            left_id: string;
                            right: string;
                            right_id: string;
                        }[];
                        points: number;
                        position: number;
                        prompt: string;
                        regrade: {
                            attempts: number;
                            done: boolean;
                            /** @enum {string} */
                            mode: "recalculate" | "full_credit" | "none";
                        };
                        /** @enum {string} */
                        scoring: "partial" | "all_or_nothing";
                        /** Format: uuid */
                        test_id: string;
                        /** @enum {string} */
                        type: "single_choice" | "multiple_choice" | "true_false" | "short_answer" | "numeric" | "matching" | "ordering";
                        unit?: string | null;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    };
                };
            };
        };
    };
    deleteEpisodesQuestionsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        deleted: true;
                        /** Format: date-time */
                        deleted_at: string;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    putEpisodesTestsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: date-time */
                    closes_at?: string | null;
                    description?: string | null;
                    /** @enum {string|null} */
                    feedback_policy?: "score" | "after_final" | "per_question" | null;
                    max_attempts?: number | null;
                    /** Format: date-time */
                    opens_at?: string | null;
                    passing_percent?: number | null;
                    retry_delay_seconds?: number | null;
                    /** @enum {string|null} */
                    score_policy?: "best" | "latest" | "average" | "first" | null;
                    show_explanations?: boolean | null;
                    show_right_answers?: boolean | null;
                    shuffle_options?: boolean | null;
                    shuffle_questions?: boolean | null;
                    /** @enum {string|null} */
                    status?: "draft" | "published" | null;
                    time_limit_seconds?: number | null;
                    title?: string;
                    weight?: number | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        closes_at: string | null;
                        /** Format: date-time */
                        created_at: string;
                        description: string;
                        /** Format: uuid */
                        episode_id: string;
                        /** @enum {string} */
                        feedback_policy: "score" | "after_final" | "per_question";
                        /** Format: uuid */
                        id: string;
                        is_extended: boolean;
                        max_attempts: number;
                        max_score: number;
                        my: {
                            attempts_left: number | null;
                            attempts_used: number;
                            history: {
                                /** Format: uuid */
                                id: string;
                                max_score: number;
                                number: number;
                                percent: number | null;
                                score: number;
                                /** @enum {string} */
                                status: "graded" | "expired";
                                /** Format: date-time */
                                submitted_at: string;
                            }[];
                            kept_percent: number | null;
                            kept_score: number | null;
                            /** Format: date-time */
                            next_attempt_at: string | null;
                            open_attempt: {
                                /** Format: date-time */
                                expires_at: string | null;
                                number: number;
                                /** Format: date-time */
                                opened_at: string;
                            } | null;
                            passed: boolean | null;
                        };
                        /** Format: date-time */
                        opens_at: string | null;
                        passing_percent: number | null;
                        question_count: number;
                        result_page?: number;
                        result_total?: number;
                        results?: {
                            attempts: number;
                            display_name?: string | null;
                            kept_percent: number | null;
                            /** Format: date-time */
                            last_submitted_at: string;
                            passed: boolean | null;
                            user_email: string | null;
                            user_id: string;
                        }[];
                        retry_delay_seconds: number;
                        /** @enum {string} */
                        score_policy: "best" | "latest" | "average" | "first";
                        show_explanations: boolean;
                        show_right_answers: boolean;
                        shuffle_options: boolean;
                        shuffle_questions: boolean;
                        stats?: {
                            attempt_count: number;
                            histogram: number[];
                            learner_count: number;
                            mean_percent: number | null;
                            pass_rate: number | null;
                            questions?: {
                                difficulty: number | null;
                                discrimination: number | null;
                                n: number;
                                options: {
                                    id: string;
                                    share: number;
                                }[];
                                /** Format: uuid */
                                question_id: string;
                            }[];
                        };
                        /** @enum {string} */
                        status: "draft" | "published";
                        time_limit_seconds: number | null;
                        title: string;
                        /** Format: date-time */
                        updated_at: string;
                        weight: number | null;
                    };
                };
            };
        };
    };
    deleteEpisodesTestsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        deleted: true;
                        /** Format: date-time */
                        deleted_at: string;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    postEpisodesTestsByIdAttempt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    answers: {
                        answer?: unknown;
                        /** Format: uuid */
                        question_id: string;
                    }[];
                    client_id?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attempts_left: number | null;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        id: string;
                        ignored_question_ids: string[];
                        kept: {
                            percent: number | null;
                            /** @enum {string} */
                            policy: "best" | "latest" | "average" | "first";
                            score: number | null;
                        };
                        max_score: number;
                        number: number;
                        passed: boolean;
                        per_question: {
                            explanation?: string;
                            feedback?: string;
                            /** @enum {string} */
                            outcome: "correct" | "partial" | "incorrect" | "unanswered";
                            points: number;
                            points_awarded: number;
                            /** Format: uuid */
                            question_id: string;
                        }[] | null;
                        percent: number | null;
                        regraded: boolean;
                        score: number;
                        /** Format: date-time */
                        started_at: string;
                        /** @enum {string} */
                        status: "graded" | "expired";
                        /** Format: date-time */
                        submitted_at: string;
                        /** Format: uuid */
                        test_id: string;
                        time_spent_seconds: number;
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attempts_left: number | null;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        id: string;
                        ignored_question_ids: string[];
                        kept: {
                            percent: number | null;
                            /** @enum {string} */
                            policy: "best" | "latest" | "average" | "first";
                            score: number | null;
                        };
                        max_score: number;
                        number: number;
                        passed: boolean;
                        per_question: {
                            explanation?: string;
                            feedback?: string;
                            /** @enum {string} */
                            outcome: "correct" | "partial" | "incorrect" | "unanswered";
                            points: number;
                            points_awarded: number;
                            /** Format: uuid */
                            question_id: string;
                        }[] | null;
                        percent: number | null;
                        regraded: boolean;
                        score: number;
                        /** Format: date-time */
                        started_at: string;
                        /** @enum {string} */
                        status: "graded" | "expired";
                        /** Format: date-time */
                        submitted_at: string;
                        /** Format: uuid */
                        test_id: string;
                        time_spent_seconds: number;
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
        };
    };
    getEpisodesTestsByIdAttempts: {
        parameters: {
            query?: {
                before?: number;
                user_id?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attempt_total: number;
                        attempts: {
                            /** Format: uuid */
                            id: string;
                            max_score: number;
                            number: number;
                            percent: number | null;
                            score: number;
                            /** Format: date-time */
                            started_at: string;
                            /** @enum {string} */
                            status: "open" | "graded" | "expired";
                            /** Format: date-time */
                            submitted_at: string | null;
                        }[];
                        display_name: string | null;
                        extra_attempts: number;
                        max_attempts: number;
                        /** Format: uuid */
                        test_id: string;
                        user_email: string | null;
                        user_id: string;
                    };
                };
            };
        };
    };
    getEpisodesTestsByIdBank: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                q?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            accepted?: {
                                fraction: number;
                                max?: number | string;
                                min?: number | string;
                                text?: string;
                                tolerance?: number | string;
                                /** @enum {string} */
                                tolerance_type?: "absolute" | "relative";
                                value?: number | string;
                            }[];
                            case_sensitive?: boolean;
                            correct?: boolean;
                            /** Format: date-time */
                            created_at: string;
                            distractors?: {
                                id: string;
                                text: string;
                            }[];
                            episode_title: string;
                            explanation: string;
                            feedback_if_false?: string;
                            feedback_if_true?: string;
                            /** Format: uuid */
                            id: string;
                            ignore_accents?: boolean;
                            items?: {
                                id: string;
                                text: string;
                            }[];
                            options?: {
                                correct: boolean;
                                feedback: string | null;
                                fraction: number | null;
                                id: string;
                                text: string;
                            }[];
                            pairs?: {
                                left: string;
                                left_id: string;
                                right: string;
                                right_id: string;
                            }[];
                            points: number;
                            position: number;
                            prompt: string;
                            /** @enum {string} */
                            scoring: "partial" | "all_or_nothing";
                            /** Format: uuid */
                            test_id: string;
                            test_title: string;
                            /** @enum {string} */
                            type: "single_choice" | "multiple_choice" | "true_false" | "short_answer" | "numeric" | "matching" | "ordering";
                            unit?: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            version: number;
                        }[];
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    postEpisodesTestsByIdBank: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    question_ids: string[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            accepted?: {
                                fraction: number;
                                max?: number | string;
                                min?: number | string;
                                text?: string;
                                tolerance?: number | string;
                                /** @enum {string} */
                                tolerance_type?: "absolute" | "relative";
                                value?: number | string;
                            }[];
                            case_sensitive?: boolean;
                            correct?: boolean;
                            /** Format: date-time */
                            created_at: string;
                            distractors?: {
                                id: string;
                                text: string;
                            }[];
                            explanation: string;
                            feedback_if_false?: string;
                            feedback_if_true?: string;
                            /** Format: uuid */
                            id: string;
                            ignore_accents?: boolean;
                            items?: {
                                id: string;
                                text: string;
                            }[];
                            options?: {
                                correct: boolean;
                                feedback: string | null;
                                fraction: number | null;
                                id: string;
                                text: string;
                            }[];
                            pairs?: {
                                left: string;
                                left_id: string;
                                right: string;
                                right_id: string;
                            }[];
                            points: number;
                            position: number;
                            prompt: string;
                            /** @enum {string} */
                            scoring: "partial" | "all_or_nothing";
                            /** Format: uuid */
                            test_id: string;
                            /** @enum {string} */
                            type: "single_choice" | "multiple_choice" | "true_false" | "short_answer" | "numeric" | "matching" | "ordering";
                            unit?: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            version: number;
                        }[];
                    };
                };
            };
        };
    };
    postEpisodesTestsByIdCopy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    episode_id?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        closes_at: string | null;
                        /** Format: date-time */
                        created_at: string;
                        description: string;
                        /** Format: uuid */
                        episode_id: string;
                        /** @enum {string} */
                        feedback_policy: "score" | "after_final" | "per_question";
                        /** Format: uuid */
                        id: string;
                        is_extended: boolean;
                        max_attempts: number;
                        max_score: number;
                        my: {
                            attempts_left: number | null;
                            attempts_used: number;
                            history: {
                                /** Format: uuid */
                                id: string;
                                max_score: number;
                                number: number;
                                percent: number | null;
                                score: number;
                                /** @enum {string} */
                                status: "graded" | "expired";
                                /** Format: date-time */
                                submitted_at: string;
                            }[];
                            kept_percent: number | null;
                            kept_score: number | null;
                            /** Format: date-time */
                            next_attempt_at: string | null;
                            open_attempt: {
                                /** Format: date-time */
                                expires_at: string | null;
                                number: number;
                                /** Format: date-time */
                                opened_at: string;
                            } | null;
                            passed: boolean | null;
                        };
                        /** Format: date-time */
                        opens_at: string | null;
                        passing_percent: number | null;
                        question_count: number;
                        result_page?: number;
                        result_total?: number;
                        results?: {
                            attempts: number;
                            display_name?: string | null;
                            kept_percent: number | null;
                            /** Format: date-time */
                            last_submitted_at: string;
                            passed: boolean | null;
                            user_email: string | null;
                            user_id: string;
                        }[];
                        retry_delay_seconds: number;
                        /** @enum {string} */
                        score_policy: "best" | "latest" | "average" | "first";
                        show_explanations: boolean;
                        show_right_answers: boolean;
                        shuffle_options: boolean;
                        shuffle_questions: boolean;
                        stats?: {
                            attempt_count: number;
                            histogram: number[];
                            learner_count: number;
                            mean_percent: number | null;
                            pass_rate: number | null;
                            questions?: {
                                difficulty: number | null;
                                discrimination: number | null;
                                n: number;
                                options: {
                                    id: string;
                                    share: number;
                                }[];
                                /** Format: uuid */
                                question_id: string;
                            }[];
                        };
                        /** @enum {string} */
                        status: "draft" | "published";
                        time_limit_seconds: number | null;
                        title: string;
                        /** Format: date-time */
                        updated_at: string;
                        weight: number | null;
                    };
                };
            };
        };
    };
    putEpisodesTestsByIdDeadlinesByUserId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: date-time */
                    until: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        until: string;
                        /** Format: uuid */
                        user_id: string;
                        /** Format: uuid */
                        work_id: string;
                    };
                };
            };
        };
    };
    deleteEpisodesTestsByIdDeadlinesByUserId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        removed: true;
                        /** Format: uuid */
                        user_id: string;
                        /** Format: uuid */
                        work_id: string;
                    };
                };
            };
        };
    };
    getEpisodesTestsByIdDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        answers: {
                            answer: unknown;
                            at: number;
                            is_flagged: boolean;
                            question_id: string;
                        }[];
                        /** Format: date-time */
                        opened_at: string | null;
                    };
                };
            };
        };
    };
    putEpisodesTestsByIdDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    answers: {
                        answer?: unknown;
                        at: number;
                        is_flagged?: boolean;
                        /** Format: uuid */
                        question_id: string;
                    }[];
                    /** Format: date-time */
                    opened_at: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        answers: {
                            answer: unknown;
                            at: number;
                            is_flagged: boolean;
                            question_id: string;
                        }[];
                        /** Format: date-time */
                        opened_at: string | null;
                    };
                };
            };
        };
    };
    putEpisodesTestsByIdExtraAttempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    extra_attempts: number;
                    /** Format: uuid */
                    user_id: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        extra_attempts: number;
                        /** Format: uuid */
                        user_id: string;
                    };
                };
            };
        };
    };
    getEpisodesTestsByIdQuestions: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                view?: "student" | "author";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attempt: {
                            /** Format: date-time */
                            expires_at: string | null;
                            number: number;
                            /** Format: date-time */
                            opened_at: string;
                        } | null;
                        items: {
                            accepted?: {
                                fraction: number;
                                max?: number | string;
                                min?: number | string;
                                text?: string;
                                tolerance?: number | string;
                                /** @enum {string} */
                                tolerance_type?: "absolute" | "relative";
                                value?: number | string;
                            }[];
                            case_sensitive?: boolean;
                            correct?: boolean;
                            /** Format: date-time */
                            created_at: string;
                            distractors?: {
                                id: string;
                                text: string;
                            }[];
                            explanation: string;
                            feedback_if_false?: string;
                            feedback_if_true?: string;
                            /** Format: uuid */
                            id: string;
                            ignore_accents?: boolean;
                            items?: {
                                id: string;
                                text: string;
                            }[];
                            options?: {
                                correct: boolean;
                                feedback: string | null;
                                fraction: number | null;
                                id: string;
                                text: string;
                            }[];
                            pairs?: {
                                left: string;
                                left_id: string;
                                right: string;
                                right_id: string;
                            }[];
                            points: number;
                            position: number;
                            prompt: string;
                            /** @enum {string} */
                            scoring: "partial" | "all_or_nothing";
                            /** Format: uuid */
                            test_id: string;
                            /** @enum {string} */
                            type: "single_choice" | "multiple_choice" | "true_false" | "short_answer" | "numeric" | "matching" | "ordering";
                            unit?: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            version: number;
                        }[];
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    } | {
                        attempt: {
                            /** Format: date-time */
                            expires_at: string | null;
                            number: number;
                            /** Format: date-time */
                            opened_at: string;
                        } | null;
                        items: {
                            /** Format: uuid */
                            id: string;
                            items?: {
                                id: string;
                                text: string;
                            }[];
                            lefts?: {
                                id: string;
                                text: string;
                            }[];
                            options?: {
                                id: string;
                                text: string;
                            }[];
                            points: number;
                            position: number;
                            prompt: string;
                            rights?: {
                                id: string;
                                text: string;
                            }[];
                            /** Format: uuid */
                            test_id: string;
                            /** @enum {string} */
                            type: "single_choice" | "multiple_choice" | "true_false" | "short_answer" | "numeric" | "matching" | "ordering";
                            unit?: string | null;
                        }[];
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    postEpisodesTestsByIdQuestions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    accepted?: {
                        fraction?: number | null;
                        max?: number | string;
                        min?: number | string;
                        text?: string;
                        tolerance?: number | string | null;
                        /** @enum {string|null} */
                        tolerance_type?: "absolute" | "relative" | null;
                        value?: number | string;
                    }[];
                    case_sensitive?: boolean | null;
                    correct?: boolean;
                    distractors?: (string | {
                        id?: string | null;
                        text: string;
                    })[] | null;
                    explanation?: string | null;
                    feedback_if_false?: string | null;
                    feedback_if_true?: string | null;
                    ignore_accents?: boolean | null;
                    items?: (string | {
                        id?: string | null;
                        text: string;
                    })[];
                    options?: {
                        correct?: boolean | null;
                        feedback?: string | null;
                        fraction?: number | null;
                        id?: string | null;
                        text: string;
                    }[];
                    pairs?: {
                        left: string;
                        left_id?: string | null;
                        right: string;
                        right_id?: string | null;
                    }[];
                    points?: number | null;
                    position?: number | null;
                    prompt?: string;
                    questions?: {
                        accepted?: {
                            fraction?: number | null;
                            max?: number | string;
                            min?: number | string;
                            text?: string;
                            tolerance?: number | string | null;
                            /** @enum {string|null} */
                            tolerance_type?: "absolute" | "relative" | null;
                            value?: number | string;
                        }[];
                        case_sensitive?: boolean | null;
                        correct?: boolean;
                        distractors?: (string | {
                            id?: string | null;
                            text: string;
                        })[] | null;
                        explanation?: string | null;
                        feedback_if_false?: string | null;
                        feedback_if_true?: string | null;
                        ignore_accents?: boolean | null;
                        items?: (string | {
                            id?: string | null;
                            text: string;
                        })[];
                        options?: {
                            correct?: boolean | null;
                            feedback?: string | null;
                            fraction?: number | null;
                            id?: string | null;
                            text: string;
                        }[];
                        pairs?: {
                            left: string;
                            left_id?: string | null;
                            right: string;
                            right_id?: string | null;
                        }[];
                        points?: number | null;
                        position?: number | null;
                        prompt?: string;
                        /** @enum {string|null} */
                        scoring?: "partial" | "all_or_nothing" | null;
                        /** @enum {string} */
                        type?: "single_choice" | "multiple_choice" | "true_false" | "short_answer" | "numeric" | "matching" | "ordering";
                        unit?: string | null;
                    }[] | null;
                    /** @enum {string|null} */
                    scoring?: "partial" | "all_or_nothing" | null;
                    /** @enum {string} */
                    type?: "single_choice" | "multiple_choice" | "true_false" | "short_answer" | "numeric" | "matching" | "ordering";
                    unit?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accepted?: {
                            fraction: number;
                            max?: number | string;
                            min?: number | string;
                            text?: string;
                            tolerance?: number | string;
                            /** @enum {string} */
                            tolerance_type?: "absolute" | "relative";
                            value?: number | string;
                        }[];
                        case_sensitive?: boolean;
                        correct?: boolean;
                        /** Format: date-time */
                        created_at: string;
                        distractors?: {
                            id: string;
                            text: string;
                        }[];
                        explanation: string;
                        feedback_if_false?: string;
                        feedback_if_true?: string;
                        /** Format: uuid */
                        id: string;
                        ignore_accents?: boolean;
                        items?: {
                            id: string;
                            text: string;
                        }[];
                        options?: {
                            correct: boolean;
                            feedback: string | null;
                            fraction: number | null;
                            id: string;
                            text: string;
                        }[];
                        pairs?: {
                            left: string;
                            left_id: string;
                            right: string;
                            right_id: string;
                        }[];
                        points: number;
                        position: number;
                        prompt: string;
                        /** @enum {string} */
                        scoring: "partial" | "all_or_nothing";
                        /** Format: uuid */
                        test_id: string;
                        /** @enum {string} */
                        type: "single_choice" | "multiple_choice" | "true_false" | "short_answer" | "numeric" | "matching" | "ordering";
                        unit?: string | null;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    } | {
                        items: {
                            accepted?: {
                                fraction: number;
                                max?: number | string;
                                min?: number | string;
                                text?: string;
                                tolerance?: number | string;
                                /** @enum {string} */
                                tolerance_type?: "absolute" | "relative";
                                value?: number | string;
                            }[];
                            case_sensitive?: boolean;
                            correct?: boolean;
                            /** Format: date-time */
                            created_at: string;
                            distractors?: {
                                id: string;
                                text: string;
                            }[];
                            explanation: string;
                            feedback_if_false?: string;
                            feedback_if_true?: string;
                            /** Format: uuid */
                            id: string;
                            ignore_accents?: boolean;
                            items?: {
                                id: string;
                                text: string;
                            }[];
                            options?: {
                                correct: boolean;
                                feedback: string | null;
                                fraction: number | null;
                                id: string;
                                text: string;
                            }[];
                            pairs?: {
                                left: string;
                                left_id: string;
                                right: string;
                                right_id: string;
                            }[];
                            points: number;
                            position: number;
                            prompt: string;
                            /** @enum {string} */
                            scoring: "partial" | "all_or_nothing";
                            /** Format: uuid */
                            test_id: string;
                            /** @enum {string} */
                            type: "single_choice" | "multiple_choice" | "true_false" | "short_answer" | "numeric" | "matching" | "ordering";
                            unit?: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            version: number;
                        }[];
                    };
                };
            };
        };
    };
    getEpisodesTestsAttemptsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        display_name: string | null;
                        /** Format: uuid */
                        id: string;
                        max_score: number;
                        may_reset: boolean;
                        number: number;
                        passed: boolean;
                        percent: number | null;
                        questions: {
                            answer: unknown;
                            /** Format: uuid */
                            id: string;
                            items?: {
                                id: string;
                                text: string;
                            }[];
                            lefts?: {
                                id: string;
                                text: string;
                            }[];
                            options?: {
                                id: string;
                                text: string;
                            }[];
                            points: number;
                            position: number;
                            prompt: string;
                            right_answer?: {
                                correct?: boolean;
                                item_ids?: string[];
                                option_ids?: string[];
                                pairs?: {
                                    left_id: string;
                                    right_id: string;
                                }[];
                                texts?: string[];
                            };
                            rights?: {
                                id: string;
                                text: string;
                            }[];
                            /** Format: uuid */
                            test_id: string;
                            /** @enum {string} */
                            type: "single_choice" | "multiple_choice" | "true_false" | "short_answer" | "numeric" | "matching" | "ordering";
                            unit?: string | null;
                            verdict: {
                                explanation?: string;
                                feedback?: string;
                                /** @enum {string} */
                                outcome: "correct" | "partial" | "incorrect" | "unanswered";
                                points: number;
                                points_awarded: number;
                                /** Format: uuid */
                                question_id: string;
                            } | null;
                        }[];
                        score: number;
                        /** Format: date-time */
                        started_at: string;
                        /** @enum {string} */
                        status: "graded" | "expired";
                        /** Format: date-time */
                        submitted_at: string;
                        /** Format: uuid */
                        test_id: string;
                        user_email: string | null;
                        user_id: string;
                    };
                };
            };
        };
    };
    deleteEpisodesTestsAttemptsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getFilesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes of the file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description No content */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deleteFilesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getGrades: {
        parameters: {
            query?: {
                channel_id?: string;
                cursor?: string;
                page?: number;
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: uuid */
                            channel_id: string;
                            channel_title: string;
                            /** Format: uuid */
                            episode_id: string;
                            episode_title: string;
                            final_percent: number | null;
                            homework: {
                                graded: number;
                                items: {
                                    final_score: number | null;
                                    /** Format: uuid */
                                    homework_id: string;
                                    max_score: number;
                                    /** @enum {string} */
                                    status: "not_submitted" | "submitted" | "graded" | "returned";
                                    title: string;
                                }[];
                                max_score: number;
                                score: number;
                                total: number;
                            };
                            max_score: number;
                            passed: boolean | null;
                            passing_percent: number;
                            percent: number | null;
                            score: number;
                            /** @enum {string} */
                            status: "not_started" | "passed" | "pending_review" | "failed" | "in_progress";
                            tests: {
                                attempted: number;
                                items: {
                                    attempts: number;
                                    kept_percent: number | null;
                                    max_score: number;
                                    /** Format: uuid */
                                    test_id: string;
                                    title: string;
                                }[];
                                max_score: number;
                                score: number;
                                total: number;
                            };
                            /** Format: date-time */
                            updated_at: string | null;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    getGradesByEpisodeId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                episode_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        channel_id: string;
                        channel_title: string;
                        /** Format: uuid */
                        episode_id: string;
                        episode_title: string;
                        final_percent: number | null;
                        homework: {
                            graded: number;
                            items: {
                                final_score: number | null;
                                /** Format: uuid */
                                homework_id: string;
                                max_score: number;
                                /** @enum {string} */
                                status: "not_submitted" | "submitted" | "graded" | "returned";
                                title: string;
                            }[];
                            max_score: number;
                            score: number;
                            total: number;
                        };
                        max_score: number;
                        passed: boolean | null;
                        passing_percent: number;
                        percent: number | null;
                        score: number;
                        /** @enum {string} */
                        status: "not_started" | "passed" | "pending_review" | "failed" | "in_progress";
                        tests: {
                            attempted: number;
                            items: {
                                attempts: number;
                                kept_percent: number | null;
                                max_score: number;
                                /** Format: uuid */
                                test_id: string;
                                title: string;
                            }[];
                            max_score: number;
                            score: number;
                            total: number;
                        };
                        /** Format: date-time */
                        updated_at: string | null;
                    };
                };
            };
        };
    };
    getInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        sso_url: string;
                        user: {
                            email: string;
                            id: string;
                            is_admin: boolean;
                            locale: string | null;
                            role: string;
                        } | null;
                        version: string;
                    };
                };
            };
        };
    };
    postInnovationRunByAgentType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_type: "content" | "engagement";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    channel_id?: string | null;
                    use_model?: boolean | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        agent_type: "content" | "engagement";
                        created: number;
                        duration_ms: number;
                        expired: number;
                        llm_error: string | null;
                        /** @enum {string} */
                        mode: "llm" | "heuristic";
                        refreshed: number;
                        /** Format: uuid */
                        run_id: string;
                    };
                };
            };
        };
    };
    getInnovationStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        agents: {
                            content: {
                                /** Format: date-time */
                                last_run_at: string | null;
                                pending: number;
                            };
                            engagement: {
                                /** Format: date-time */
                                last_run_at: string | null;
                                pending: number;
                            };
                        };
                        can_review: boolean;
                        can_run: boolean;
                        configured: boolean;
                        last_error: string | null;
                        /** Format: date-time */
                        last_success_at: string | null;
                        /** @enum {string} */
                        mode: "llm" | "heuristic";
                        model: string | null;
                        provider_host: string | null;
                    };
                };
            };
        };
    };
    getInnovationSuggestions: {
        parameters: {
            query?: {
                agent_type?: "content" | "engagement";
                channel_id?: string;
                cursor?: string;
                kind?: string;
                page?: number;
                per_page?: number;
                severity?: "info" | "warning" | "critical";
                status?: "pending" | "approved" | "rejected" | "applied" | "expired";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** @enum {string} */
                            agent_type: "content" | "engagement";
                            body: string;
                            /** Format: uuid */
                            channel_id: string;
                            channel_title: string;
                            confidence: number;
                            /** Format: date-time */
                            created_at: string;
                            evidence: {
                                [key: string]: unknown;
                            };
                            fingerprint: string;
                            /** Format: uuid */
                            id: string;
                            kind: string;
                            model: string | null;
                            patch: {
                                [key: string]: unknown;
                            } | null;
                            review_note: string;
                            /** Format: date-time */
                            reviewed_at: string | null;
                            reviewed_by: string | null;
                            /** Format: uuid */
                            run_id: string;
                            /** @enum {string} */
                            severity: "info" | "warning" | "critical";
                            /** @enum {string} */
                            source: "heuristic" | "llm";
                            /** @enum {string} */
                            status: "pending" | "approved" | "rejected" | "applied" | "expired";
                            target: {
                                /** Format: uuid */
                                id: string;
                                title: string;
                                /** @enum {string} */
                                type: "channel" | "episode" | "video" | "homework" | "test" | "question";
                            };
                            title: string;
                            /** Format: date-time */
                            updated_at: string;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    putInnovationSuggestionsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    apply?: boolean | null;
                    review_note?: string | null;
                    /** @enum {string|null} */
                    status?: "pending" | "approved" | "rejected" | "applied" | "expired" | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        agent_type: "content" | "engagement";
                        body: string;
                        /** Format: uuid */
                        channel_id: string;
                        channel_title: string;
                        confidence: number;
                        /** Format: date-time */
                        created_at: string;
                        evidence: {
                            [key: string]: unknown;
                        };
                        fingerprint: string;
                        /** Format: uuid */
                        id: string;
                        kind: string;
                        model: string | null;
                        patch: {
                            [key: string]: unknown;
                        } | null;
                        review_note: string;
                        /** Format: date-time */
                        reviewed_at: string | null;
                        reviewed_by: string | null;
                        /** Format: uuid */
                        run_id: string;
                        /** @enum {string} */
                        severity: "info" | "warning" | "critical";
                        /** @enum {string} */
                        source: "heuristic" | "llm";
                        /** @enum {string} */
                        status: "pending" | "approved" | "rejected" | "applied" | "expired";
                        target: {
                            /** Format: uuid */
                            id: string;
                            title: string;
                            /** @enum {string} */
                            type: "channel" | "episode" | "video" | "homework" | "test" | "question";
                        };
                        title: string;
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
        };
    };
    getInnovationSuggestionsByIdLearners: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            reasons: string[];
                            risk: number;
                            user_email: string;
                            user_id: string;
                        }[];
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    getNotes: {
        parameters: {
            query?: {
                cursor?: string;
                episode_id?: string;
                page?: number;
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            at_seconds: number;
                            /** Format: uuid */
                            channel_id: string;
                            channel_title: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: uuid */
                            episode_id: string;
                            episode_title: string | null;
                            /** Format: uuid */
                            id: string;
                            text: string;
                            /** Format: date-time */
                            updated_at: string;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    putNotesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    at_seconds?: number;
                    text?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        at_seconds: number;
                        /** Format: uuid */
                        channel_id: string;
                        channel_title: string | null;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        episode_id: string;
                        episode_title: string | null;
                        /** Format: uuid */
                        id: string;
                        text: string;
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
        };
    };
    deleteNotesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        deleted: true;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    getNotifications: {
        parameters: {
            query?: {
                cursor?: string;
                page?: number;
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: uuid */
                            channel_id: string;
                            channel_title: string;
                            count: number;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            due_at: string | null;
                            /** Format: uuid */
                            episode_id: string;
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            kind: "graded" | "due" | "episode" | "answer";
                            /** Format: date-time */
                            read_at: string | null;
                            /** Format: uuid */
                            target_id: string;
                            /** @enum {string} */
                            target_type: "homework" | "test" | "episode" | "question";
                            title: string;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                        unread: number;
                    };
                };
            };
        };
    };
    postNotificationsRead: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {boolean} */
                    all?: true;
                    ids?: string[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        read: number;
                    };
                };
            };
        };
    };
    getNotificationsSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        answer: {
                            by_mail: boolean;
                            in_page: boolean;
                        };
                        due: {
                            by_mail: boolean;
                            in_page: boolean;
                        };
                        episode: {
                            by_mail: boolean;
                            in_page: boolean;
                        };
                        graded: {
                            by_mail: boolean;
                            in_page: boolean;
                        };
                    };
                };
            };
        };
    };
    putNotificationsSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    answer?: {
                        by_mail: boolean;
                        in_page: boolean;
                    };
                    due?: {
                        by_mail: boolean;
                        in_page: boolean;
                    };
                    episode?: {
                        by_mail: boolean;
                        in_page: boolean;
                    };
                    graded?: {
                        by_mail: boolean;
                        in_page: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        answer: {
                            by_mail: boolean;
                            in_page: boolean;
                        };
                        due: {
                            by_mail: boolean;
                            in_page: boolean;
                        };
                        episode: {
                            by_mail: boolean;
                            in_page: boolean;
                        };
                        graded: {
                            by_mail: boolean;
                            in_page: boolean;
                        };
                    };
                };
            };
        };
    };
    putPostsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    hidden?: boolean;
                    text?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        at_seconds: number | null;
                        author: {
                            email: string | null;
                            is_teacher: boolean;
                            is_you: boolean;
                            name: string | null;
                        };
                        /** Format: date-time */
                        created_at: string;
                        deleted: boolean;
                        /** Format: date-time */
                        edited_at: string | null;
                        /** Format: uuid */
                        episode_id: string;
                        hidden: boolean;
                        /** Format: uuid */
                        id: string;
                        /** Format: uuid */
                        question_id: string | null;
                        text: string;
                    };
                };
            };
        };
    };
    deletePostsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        deleted: true;
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
    };
    getPostsByIdAnswers: {
        parameters: {
            query?: {
                cursor?: string;
                page?: number;
                per_page?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            at_seconds: number | null;
                            author: {
                                email: string | null;
                                is_teacher: boolean;
                                is_you: boolean;
                                name: string | null;
                            };
                            /** Format: date-time */
                            created_at: string;
                            deleted: boolean;
                            /** Format: date-time */
                            edited_at: string | null;
                            /** Format: uuid */
                            episode_id: string;
                            hidden: boolean;
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            question_id: string | null;
                            text: string;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    postProgress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    completed?: boolean | null;
                    duration_seconds?: number | null;
                    /** Format: uuid */
                    episode_id: string;
                    position_seconds?: number | null;
                    segments?: number[][] | null;
                    unplayable?: boolean | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        channel_id: string;
                        completed: boolean;
                        /** Format: date-time */
                        completed_at: string | null;
                        completion_threshold: number;
                        /** Format: uuid */
                        episode_id: string;
                        position_seconds: number;
                        progress: number;
                        segments: number[][];
                        /** Format: date-time */
                        updated_at: string | null;
                        watched_seconds: number;
                    };
                };
            };
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        channel_id: string;
                        completed: boolean;
                        /** Format: date-time */
                        completed_at: string | null;
                        completion_threshold: number;
                        /** Format: uuid */
                        episode_id: string;
                        position_seconds: number;
                        progress: number;
                        segments: number[][];
                        /** Format: date-time */
                        updated_at: string | null;
                        watched_seconds: number;
                    };
                };
            };
        };
    };
    getProgressByEpisodeId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                episode_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        channel_id: string;
                        completed: boolean;
                        /** Format: date-time */
                        completed_at: string | null;
                        completion_threshold: number;
                        /** Format: uuid */
                        episode_id: string;
                        position_seconds: number;
                        progress: number;
                        segments: number[][];
                        /** Format: date-time */
                        updated_at: string | null;
                        watched_seconds: number;
                    };
                };
            };
        };
    };
    getPublicChannelsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        category: string | null;
                        description: string;
                        /** @enum {string} */
                        enrollment: "open" | "closed";
                        episodes: {
                            duration_seconds: number | null;
                            language: string | null;
                            position: number;
                            season: number;
                            title: string;
                        }[];
                        /** Format: uuid */
                        id: string;
                        language: string;
                        /** @enum {string} */
                        level: "all" | "beginner" | "intermediate" | "advanced";
                        tags: string[];
                        thumbnail_url: string | null;
                        title: string;
                    };
                };
            };
        };
    };
    getSearch: {
        parameters: {
            query: {
                channel_id?: string;
                cursor?: string;
                per_page?: number;
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: uuid */
                            channel_id: string;
                            channel_title: string;
                            excerpt: {
                                is_hit: boolean;
                                text: string;
                            }[];
                            /** @enum {string} */
                            found_in: "title" | "authors" | "tags" | "category" | "description" | "chapter" | "transcript";
                            /** Format: uuid */
                            id: string;
                            is_near: boolean;
                            language: string;
                            start_seconds: number | null;
                            title: {
                                is_hit: boolean;
                                text: string;
                            }[];
                            /** @enum {string} */
                            type: "channel" | "episode";
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    getTeachingToGrade: {
        parameters: {
            query?: {
                channel_id?: string;
                cursor?: string;
                page?: number;
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: uuid */
                            channel_id: string;
                            channel_title: string;
                            display_name: string | null;
                            /** Format: uuid */
                            episode_id: string;
                            episode_title: string;
                            /** Format: uuid */
                            homework_id: string;
                            homework_title: string;
                            is_late: boolean;
                            /** Format: uuid */
                            submission_id: string;
                            /** Format: date-time */
                            submitted_at: string;
                            user_email: string;
                            user_id: string;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    getTeachingToday: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        behind: {
                            /** Format: uuid */
                            channel_id: string;
                            channel_title: string;
                            display_name: string | null;
                            reasons: string[];
                            risk: number;
                            user_email: string;
                            user_id: string;
                        }[];
                        setup?: {
                            has_channel: boolean;
                            has_learner: boolean;
                            has_published: boolean;
                            sends_mail: boolean;
                        };
                        suggestions?: {
                            items: {
                                /** @enum {string} */
                                agent_type: "content" | "engagement";
                                body: string;
                                /** Format: uuid */
                                channel_id: string;
                                channel_title: string;
                                confidence: number;
                                /** Format: date-time */
                                created_at: string;
                                evidence: {
                                    [key: string]: unknown;
                                };
                                fingerprint: string;
                                /** Format: uuid */
                                id: string;
                                kind: string;
                                model: string | null;
                                patch: {
                                    [key: string]: unknown;
                                } | null;
                                review_note: string;
                                /** Format: date-time */
                                reviewed_at: string | null;
                                reviewed_by: string | null;
                                /** Format: uuid */
                                run_id: string;
                                /** @enum {string} */
                                severity: "info" | "warning" | "critical";
                                /** @enum {string} */
                                source: "heuristic" | "llm";
                                /** @enum {string} */
                                status: "pending" | "approved" | "rejected" | "applied" | "expired";
                                target: {
                                    /** Format: uuid */
                                    id: string;
                                    title: string;
                                    /** @enum {string} */
                                    type: "channel" | "episode" | "video" | "homework" | "test" | "question";
                                };
                                title: string;
                                /** Format: date-time */
                                updated_at: string;
                            }[];
                            total: number;
                        };
                        to_grade: {
                            items: {
                                /** Format: uuid */
                                channel_id: string;
                                channel_title: string;
                                display_name: string | null;
                                /** Format: uuid */
                                episode_id: string;
                                episode_title: string;
                                /** Format: uuid */
                                homework_id: string;
                                homework_title: string;
                                is_late: boolean;
                                /** Format: uuid */
                                submission_id: string;
                                /** Format: date-time */
                                submitted_at: string;
                                user_email: string;
                                user_id: string;
                            }[];
                            total: number;
                        };
                        week: {
                            /** Format: date-time */
                            at: string;
                            /** Format: uuid */
                            channel_id: string;
                            channel_title: string;
                            /** Format: uuid */
                            episode_id: string;
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            kind: "homework_due" | "test_opens" | "test_closes" | "episode_released";
                            title: string;
                        }[];
                    };
                };
            };
        };
    };
    getCalendarByFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A calendar (RFC 5545) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/calendar": string;
                };
            };
        };
    };
    getFilesByChannelIdById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                channel_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes of the file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description No content */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        database: {
                            response_time_ms: number | null;
                            /** @enum {string} */
                            status: "ok" | "down";
                        };
                        /** @enum {string} */
                        status: "ok" | "down";
                        uptime_seconds: number;
                        version: string;
                    };
                };
            };
        };
    };
    getLivez: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
        };
    };
    getReadyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ready" | "starting_or_stopping" | "database_down";
                    };
                };
            };
        };
    };
}
