"""What the sections of a bank are called in real files: other words, and ten other languages."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache

from memdown.dialects.bank.templates import Layer
from memdown.patterns import lazy

_TABLES = {
    "projectBrief.md": """
        Project Name: name | title | project | project title | 项目名称 | название проекта | название |
            プロジェクト名 | 프로젝트 이름 | 프로젝트명 | nom du projet | nombre del proyecto | nome do projeto |
            projektname | proje adı | tên dự án
        Mission Statement: mission | vision | overview | project overview | summary | executive summary |
            description | project description | introduction | purpose | project purpose | about | project summary |
            project brief | 项目概述 | 概述 | 项目简介 | 项目描述 | 简介 | 使命 | обзор | обзор проекта | описание |
            описание проекта | краткое описание | миссия | 概要 | プロジェクト概要 | 목적 | 개요 | 프로젝트 개요 |
            프로젝트 소개 | aperçu | vue d'ensemble | présentation | description du projet | resumen |
            visión general | descripción | descripción del proyecto | visão geral | resumo | descrição |
            descrição do projeto | überblick | übersicht | projektübersicht | projektbeschreibung | genel bakış |
            proje özeti | proje tanımı | tổng quan | tổng quan dự án | mô tả dự án | giới thiệu
        Problem Statement: problem | the problem | problems solved | 问题陈述 | 问题 | проблема | 課題 | 問題 | 문제 |
            문제 정의 | problème | énoncé du problème | problema | planteamiento del problema | problemstellung |
            sorun | problem tanımı | vấn đề
        Core Requirements: requirements | key requirements | core features | key features | features | main features |
            functional requirements | goals | core goals | project goals | project goal | key goals | objectives |
            core objectives | project objectives | primary objectives | deliverables | key deliverables | 核心需求 |
            需求 | 需求分析 | 核心功能 | 主要功能 | 功能 | 项目目标 | 目标 | 核心目标 | требования |
            основные требования | цели | цель | цель проекта | цели проекта | основные функции | 要件 | 主要要件 |
            主な機能 | 主要機能 | 目標 | 目的 | 핵심 요구사항 | 요구사항 | 주요 기능 | 핵심 기능 | 목표 |
            프로젝트 목표 | exigences | objectifs | fonctionnalités | fonctionnalités principales | requisitos |
            objetivos | funcionalidades | requerimientos | características principales | anforderungen |
            kernanforderungen | ziele | projektziele | gereksinimler | hedefler | proje hedefleri | temel özellikler |
            yêu cầu | yêu cầu chính | mục tiêu | mục tiêu dự án | tính năng chính
        Key Constraints: constraints | limitations | technical constraints | assumptions | 约束 | 约束条件 | 限制 |
            ограничения | 制約 | 制約条件 | 제약사항 | 제약 조건 | contraintes | restricciones | limitaciones |
            restrições | einschränkungen | randbedingungen | kısıtlamalar | kısıtlar | ràng buộc | hạn chế
        Success Criteria: success metrics | acceptance criteria | definition of done | success | kpis | 成功标准 |
            验收标准 | 成功指标 | критерии успеха | критерии приемки | 成功基準 | 성공 기준 | 성공 지표 |
            critères de succès | critères de réussite | criterios de éxito | critérios de sucesso | erfolgskriterien |
            başarı kriterleri | tiêu chí thành công
        Scope Boundaries: scope | project scope | in scope | out of scope | non-goals | 范围 | 项目范围 | границы |
            объем | область | スコープ | 範囲 | 범위 | 프로젝트 범위 | périmètre | portée | alcance | escopo |
            umfang | abgrenzung | kapsam | phạm vi""",
    "productContext.md": """
        Why This Project Exists: why | purpose | project goal | project goals | goal | goals | why this exists |
            overview | project overview | vision | product vision | background | 项目目标 | 项目背景 | 背景 |
            项目概述 | 产品概述 | 目标 | 为什么存在 | цель | цель проекта | цели проекта | зачем |
            почему существует проект | обзор | 目的 | 概要 | プロジェクトの目的 | 목적 | 프로젝트 목표 |
            프로젝트 개요 | 개요 | 배경 | pourquoi ce projet | objectif | objectif du projet | por qué existe |
            por qué existe este proyecto | objetivo | objetivo del proyecto | visión general |
            por que este projeto existe | objetivo do projeto | visão geral | warum | projektziel | zweck | neden |
            amaç | proje amacı | proje hedefi | mục tiêu dự án | mục đích | lý do | tổng quan
        Target Users: users | target audience | audience | user personas | personas | stakeholders | user types |
            user roles | 目标用户 | 用户 | 用户群体 | пользователи | целевая аудитория | целевые пользователи |
            対象ユーザー | ターゲットユーザー | ユーザー | 대상 사용자 | 타겟 사용자 | 사용자 | utilisateurs |
            utilisateurs cibles | public cible | usuarios | usuarios objetivo | público objetivo | usuários |
            usuários-alvo | público-alvo | zielgruppe | nutzer | benutzer | hedef kullanıcılar | kullanıcılar |
            hedef kitle | người dùng | người dùng mục tiêu | đối tượng người dùng
        User Problems: problems | problem | problem statement | problems solved | problems it solves |
            problems addressed | pain points | the problem | 解决的问题 | 用户痛点 | 用户问题 | 问题 | проблемы |
            решаемые проблемы | 解決する課題 | 課題 | 해결하는 문제 | 해결 문제 | 문제점 | problèmes |
            problèmes résolus | problemas | problemas que resuelve | problemas resolvidos | probleme |
            gelöste probleme | sorunlar | çözülen sorunlar | vấn đề | vấn đề cần giải quyết
        User Experience Goals: user experience | ux goals | ux | experience goals | design goals | 用户体验目标 |
            用户体验 | пользовательский опыт | цели ux | ユーザー体験 | ユーザー体験の目標 | 사용자 경험 |
            사용자 경험 목표 | expérience utilisateur | experiencia de usuario | objetivos de experiencia de usuario |
            experiência do usuário | benutzererfahrung | kullanıcı deneyimi | kullanıcı deneyimi hedefleri |
            trải nghiệm người dùng
        How It Should Work: how it works | key features | core features | features | main features | functionality |
            user flow | user flows | user journey | user journeys | workflow | overall architecture | use cases |
            core functionality | solution | solution overview | 核心功能 | 主要功能 | 功能 | 关键特性 | 工作原理 |
            整体架构 | 总体架构 | основные функции | ключевые функции | ключевые возможности | как это работает |
            общая архитектура | функциональность | 主な機能 | 主要機能 | 機能 | 仕組み | 全体アーキテクチャ |
            주요 기능 | 핵심 기능 | 작동 방식 | 전체 아키텍처 | fonctionnalités | fonctionnalités clés |
            fonctionnement | architecture globale | características clave | características principales |
            funcionalidades | cómo debería funcionar | cómo funciona | arquitectura general | como deve funcionar |
            como funciona | funcionalidades principais | arquitetura geral | funktionsweise | hauptfunktionen |
            kernfunktionen | gesamtarchitektur | temel özellikler | ana özellikler | nasıl çalışır | nasıl çalışmalı |
            genel mimari | tính năng chính | tính năng | cách hoạt động | kiến trúc tổng thể
        What Makes It Different: differentiation | differentiators | unique value | value proposition | competition |
            competitive advantage | key differentiators | 差异化 | 独特之处 | 价值主张 | отличия | преимущества |
            差別化 | 価値提案 | 차별점 | 가치 제안 | différenciation | proposition de valeur | diferenciación |
            propuesta de valor | diferenciais | proposta de valor | alleinstellungsmerkmale | wertversprechen | fark |
            farklılıklar | değer önerisi | điểm khác biệt | giá trị""",
    "systemPatterns.md": """
        Architecture Overview: architecture | system architecture | high-level architecture | overall architecture |
            architectural patterns | architecture patterns | system overview | overview | architectural style |
            系统架构 | 架构概述 | 架构 | 架构模式 | 整体架构 | 架构概览 | архитектура | архитектура системы |
            обзор архитектуры | архитектурные паттерны | アーキテクチャ | アーキテクチャ概要 |
            システムアーキテクチャ | アーキテクチャパターン | 아키텍처 | 시스템 아키텍처 | 아키텍처 개요 |
            아키텍처 패턴 | architecture du système | architecture système | vue d'ensemble de l'architecture |
            modèles d'architecture | arquitectura | arquitectura del sistema | patrones arquitectónicos |
            patrones de arquitectura | arquitetura | arquitetura do sistema | padrões arquiteturais |
            padrões de arquitetura | architektur | systemarchitektur | architekturübersicht | architekturmuster |
            mimari | sistem mimarisi | mimari desenler | kiến trúc | kiến trúc hệ thống | mẫu kiến trúc |
            tổng quan kiến trúc
        Architecture Diagram: system diagram | component diagram | data flow | component relationships | components |
            component architecture | 架构图 | 数据流 | 组件关系 | диаграмма | поток данных | компоненты |
            データフロー | 構成図 | 데이터 흐름 | diagramme | flux de données | flujo de datos | diagrama |
            fluxo de dados | datenfluss | diagramm | veri akışı | luồng dữ liệu
        Design Patterns in Use: design patterns | patterns | key patterns | key design patterns | common patterns |
            implementation patterns | common idioms | testing patterns | coding patterns | code patterns | 设计模式 |
            模式 | 编码模式 | 测试模式 | паттерны | паттерны проектирования | паттерны кодирования |
            паттерны тестирования | デザインパターン | 設計パターン | コーディングパターン | テストパターン |
            디자인 패턴 | 설계 패턴 | 코딩 패턴 | 테스트 패턴 | patrons de conception | modèles de conception |
            patrones de diseño | patrones de código | patrones de codificación | patrones de pruebas |
            padrões de projeto | padrões de design | padrões de codificação | padrões de teste | entwurfsmuster |
            codierungsmuster | testmuster | tasarım desenleri | kodlama desenleri | test desenleri | mẫu thiết kế |
            mẫu mã hóa | mẫu kiểm thử
        Coding Conventions: conventions | coding standards | code style | naming conventions | best practices |
            standards | 编码规范 | 代码规范 | 命名规范 | соглашения | стандарты кода | стиль кода | コーディング規約 |
            命名規則 | 코딩 컨벤션 | 코딩 규칙 | conventions de codage | convenciones | convenciones de código |
            convenções | convenções de código | konventionen | programmierrichtlinien | kodlama kuralları |
            kodlama standartları | quy ước | quy ước viết mã
        File Organization: file structure | project structure | directory structure | code organization |
            folder structure | code structure | 文件组织 | 项目结构 | 目录结构 | 文件结构 | структура проекта |
            структура файлов | ファイル構成 | ディレクトリ構成 | プロジェクト構造 | 파일 구조 | 프로젝트 구조 |
            디렉토리 구조 | structure du projet | estructura del proyecto | estructura de archivos |
            estrutura do projeto | estrutura de arquivos | projektstruktur | dateistruktur | proje yapısı |
            dosya yapısı | cấu trúc dự án | cấu trúc thư mục
        Key Technical Decisions: technical decisions | key decisions | architectural decisions | design decisions |
            critical implementation paths | 关键技术决策 | 技术决策 | ключевые технические решения |
            технические решения | 技術的決定 | 重要な技術的決定 | 기술 결정 | 주요 기술 결정 | décisions techniques |
            decisiones técnicas | decisões técnicas | technische entscheidungen | teknik kararlar |
            quyết định kỹ thuật""",
    "techContext.md": """
        Technology Stack: tech stack | technical stack | stack | technologies | technologies used |
            core technologies | languages | frameworks | dependencies | key dependencies | key libraries | libraries |
            frontend | backend | database | tools | languages and frameworks | 技术栈 | 技术 | 依赖 | 核心技术 |
            前端 | 后端 | стек | технологический стек | стек технологий | технологии | зависимости | 技術スタック |
            使用技術 | 依存関係 | 기술 스택 | 사용 기술 | 의존성 | pile technologique | technologies utilisées |
            dépendances | tecnologías | stack tecnológico | tecnologías utilizadas | dependencias | tecnologias |
            tecnologias utilizadas | dependências | technologie-stack | technologien | abhängigkeiten | teknolojiler |
            teknoloji yığını | bağımlılıklar | công nghệ | công nghệ sử dụng | ngăn xếp công nghệ | phụ thuộc
        Development Environment Setup: development setup | setup | environment setup | development environment |
            installation | getting started | local development | prerequisites | 开发环境 | 环境搭建 | 开发环境设置 |
            安装 | среда разработки | настройка | установка | настройка окружения | 開発環境 | 環境構築 |
            セットアップ | 개발 환경 | 개발 환경 설정 | 설치 | environnement de développement |
            entorno de desarrollo | configuración | ambiente de desenvolvimento | configuração |
            entwicklungsumgebung | einrichtung | geliştirme ortamı | kurulum | môi trường phát triển | cài đặt
        Build Commands: commands | build | scripts | build process | build system | build and run |
            development commands | common commands | testing | 构建命令 | 常用命令 | 构建 | команды | сборка |
            команды сборки | ビルドコマンド | コマンド | ビルド | 빌드 명령어 | 명령어 | 빌드 | commandes |
            commandes de build | comandos | comandos de compilación | comandos de build | befehle | build-befehle |
            komutlar | derleme komutları | lệnh | lệnh build
        Deployment: deploy | hosting | infrastructure | ci/cd | operations | 部署 | деплой | развертывание |
            инфраструктура | デプロイ | デプロイメント | 배포 | déploiement | despliegue | implantação |
            bereitstellung | dağıtım | triển khai
        Environment Variables: configuration | env vars | environment | 环境变量 | 配置 | переменные окружения |
            конфигурация | 環境変数 | 設定 | 환경 변수 | 환경변수 | variables d'environnement | variables de entorno |
            variáveis de ambiente | umgebungsvariablen | ortam değişkenleri | biến môi trường
        Version Requirements: versions | requirements | technical constraints | constraints | compatibility |
            system requirements | 版本要求 | 技术约束 | версии | требования | технические ограничения |
            バージョン要件 | 技術的制約 | 버전 요구사항 | 기술 제약사항 | versions requises | contraintes techniques |
            requisitos de versión | restricciones técnicas | requisitos de versão | restrições técnicas |
            versionsanforderungen | technische einschränkungen | sürüm gereksinimleri | teknik kısıtlamalar |
            yêu cầu phiên bản | ràng buộc kỹ thuật""",
    "activeContext.md": """
        Current Focus: focus | current ticket | current phase | 現在の作業内容 | current work focus | current goals |
            current goal | current task | active task | active work | current work | current session | session goal |
            current focus areas | what we're working on | 当前焦点 | 当前重点 | 当前任务 | 当前目标 | 当前工作 |
            当前工作重点 | 工作重点 | текущий фокус | фокус | текущая задача | текущие цели | текущая работа |
            現在の焦点 | 現在のフォーカス | 現在の目標 | 現在のタスク | 現在の作業 | 現在の作業焦点 | 현재 초점 |
            현재 포커스 | 현재 집중 | 현재 목표 | 현재 작업 | 현재 작업 초점 | focus actuel | objectif actuel |
            objectifs actuels | tâche actuelle | travail en cours | enfoque actual | foco actual | objetivo actual |
            objetivos actuales | tarea actual | trabajo actual | foco atual | objetivos atuais | tarefa atual |
            trabalho atual | aktueller fokus | aktuelle ziele | aktuelle aufgabe | aktuelle arbeit | mevcut odak |
            güncel odak | şu anki odak | mevcut hedefler | mevcut görev | trọng tâm hiện tại | tập trung hiện tại |
            mục tiêu hiện tại | nhiệm vụ hiện tại | công việc hiện tại
        Recent Changes: changes | latest changes | recent updates | recent work | recent activity | recent progress |
            recent accomplishments | recent completions | what changed | recently completed | 最近变更 | 最近更改 |
            最近的更改 | 最近更新 | 近期变更 | 近期更改 | 最新变更 | последние изменения | недавние изменения |
            изменения | 最近の変更 | 直近の変更 | 変更点 | 최근 변경사항 | 최근 변경 사항 | 최근 변경 | 최근 작업 |
            changements récents | modifications récentes | cambios recientes | mudanças recentes |
            alterações recentes | letzte änderungen | kürzliche änderungen | aktuelle änderungen | son değişiklikler |
            thay đổi gần đây | các thay đổi gần đây
        Current State: state | status | current status | project status | where things stand | session state |
            implementation status | system status | 当前状态 | 项目状态 | 状态 | текущее состояние | состояние |
            текущий статус | статус | 現在の状態 | 現状 | 現在の状況 | 現在のステータス | 현재 상태 | 프로젝트 상태 |
            상태 | état actuel | statut actuel | estado actual | estado | estado de implementación | estado atual |
            status atual | aktueller stand | aktueller status | aktueller zustand | mevcut durum | güncel durum |
            trạng thái hiện tại | tình trạng hiện tại
        Active Decisions: decisions | recent decisions | pending decisions | active decisions and considerations |
            key decisions | considerations | decisions in progress | decisions made | 活动决策 | 当前决策 | 近期决策 |
            决策 | активные решения | текущие решения | решения | 進行中の決定 | 検討中の決定 | 最近の決定 |
            활성 결정 | 진행 중인 결정 | 최근 결정 | décisions actives | décisions en cours | decisiones activas |
            decisiones recientes | decisiones | decisões ativas | decisões recentes | decisões |
            aktive entscheidungen | offene entscheidungen | aktif kararlar | kararlar | son kararlar |
            quyết định đang xem xét | quyết định gần đây | quyết định
        Open Questions: questions | open questions/issues | open questions / issues | open questions and issues |
            open issues | issues | unresolved questions | open questions & issues | 未解决的问题 | 待解决问题 |
            开放问题 | 待解决的问题 | 未解决问题 | 未决问题 | открытые вопросы | вопросы | открытые вопросы/проблемы |
            нерешенные вопросы | 未解決の質問 | 未解決の課題 | 未解決の質問/課題 | 未解決の問題 |
            オープンクエスチョン | 미해결 질문 | 미해결 질문/이슈 | 미해결 문제 | 열린 질문 | questions ouvertes |
            questions en suspens | questions/problèmes ouverts | preguntas abiertas | preguntas abiertas/problemas |
            preguntas pendientes | questões abertas | questões em aberto | perguntas abertas | perguntas em aberto |
            offene fragen | offene fragen/probleme | açık sorular | açık sorular/sorunlar | câu hỏi mở |
            câu hỏi còn bỏ ngỏ | câu hỏi/vấn đề mở
        Blockers: current blockers | blocker | blocked | impediments | blocking issues | current challenges |
            blocked by | obstacles | 阻塞 | 阻碍 | 当前阻塞 | 障碍 | 阻塞问题 | 当前阻碍 | блокеры | блокировки |
            текущие блокеры | препятствия | ブロッカー | 障害 | 現在のブロッカー | 阻害要因 | 차단 요소 | 블로커 |
            현재 차단 요소 | 장애물 | bloqueurs | blocages | points bloquants | obstacles actuels | bloqueos |
            bloqueadores | impedimentos | bloqueios | blocker aktuell | hindernisse | blockaden | aktuelle blocker |
            engeller | mevcut engeller | engelleyiciler | trở ngại | rào cản | vướng mắc
        Next Steps: immediate next steps | next | next actions | next tasks | todo | to do | action items |
            upcoming tasks | immediate tasks | next session | priorities | next up | 下一步 | 下一步计划 | 后续步骤 |
            下一步行动 | 接下来的步骤 | 待办 | 待办事项 | следующие шаги | дальнейшие шаги | ближайшие шаги |
            次のステップ | 今後のステップ | 次の作業 | 다음 단계 | 다음 작업 | 향후 계획 | prochaines étapes |
            étapes suivantes | próximos pasos | próximos pasos inmediatos | siguientes pasos | próximos passos |
            nächste schritte | sonraki adımlar | bước tiếp theo | các bước tiếp theo | następne kroki |
            kolejne kroki""",
    "progress.md": """
        Completed: done | complete | built | 完了した作業 | 已完成的工作 | сделано | реализовано |
            what has been built | what has been built and works | completed tasks | completed features |
            completed work | completed items | what works | what is working | what's working |
            what has been completed | accomplished | accomplished tasks | finished | working features | implemented |
            implemented features | 已完成 | 已完成任务 | 已完成的任务 | 完成的任务 | 已完成功能 | 已完成的功能 |
            已完成工作 | 完成 | 已实现功能 | выполнено | завершено | готово | выполненные задачи |
            завершенные задачи | завершённые задачи | что работает | 完了 | 完了済み | 完了したタスク | 完了タスク |
            完了した機能 | 完了済みタスク | 動作している機能 | 완료 | 완료됨 | 완료된 작업 | 완료한 작업 |
            완료된 기능 | 완료 작업 | terminé | terminés | tâches terminées | tâches complétées | achevé | fait |
            ce qui fonctionne | completado | completados | completadas | tareas completadas | terminado | hecho |
            lo que funciona | concluído | concluídos | concluídas | tarefas concluídas | tarefas completas | feito |
            o que funciona | abgeschlossen | erledigt | fertig | abgeschlossene aufgaben | erledigte aufgaben |
            was funktioniert | tamamlandı | tamamlanan | tamamlananlar | tamamlanan görevler | biten | yapılanlar |
            çalışan özellikler | hoàn thành | đã hoàn thành | nhiệm vụ đã hoàn thành | công việc đã hoàn thành |
            các nhiệm vụ đã hoàn thành | zrealizowane
        In Progress: doing | 進行中の作業 | 正在进行的工作 | текущая работа | current tasks | current task | ongoing |
            ongoing tasks | work in progress | wip | active tasks | active | current work | in development |
            tasks in progress | currently working on | current sprint | 进行中 | 当前任务 | 正在进行 | 进行中的任务 |
            正在进行的任务 | 进行中任务 | 正在修复中 | в процессе | в работе | выполняется | текущие задачи | 進行中 |
            作業中 | 進行中のタスク | 現在のタスク | 現在進行中 | 진행 중 | 진행중 | 진행 중인 작업 | 현재 작업 |
            en cours | tâches en cours | tâches actuelles | en progreso | en curso | en proceso | tareas actuales |
            tareas en progreso | em andamento | em progresso | tarefas atuais | tarefas em andamento | in arbeit |
            in bearbeitung | aktuelle aufgaben | laufend | laufende aufgaben | devam eden | devam edenler |
            devam ediyor | devam eden görevler | yapılıyor | mevcut görevler | đang thực hiện | đang tiến hành |
            đang làm | nhiệm vụ hiện tại | công việc hiện tại | w trakcie
        Known Issues: issues | bugs | known bugs | known problems | open issues | known issues and bugs |
            known issues & bugs | known limitations | current issues | 已知问题 | 问题 | 已知缺陷 | 已识别的问题 |
            известные проблемы | известные ошибки | проблемы | 既知の問題 | 既知の課題 | 既知の問題とバグ |
            既知の不具合 | 알려진 문제 | 알려진 이슈 | 문제점 | problèmes connus | bogues connus |
            problemas conocidos | errores conocidos | problemas conhecidos | bugs conhecidos | bekannte probleme |
            bekannte fehler | bilinen sorunlar | bilinen hatalar | vấn đề đã biết | lỗi đã biết | các vấn đề đã biết
        Technical Debt: tech debt | debt | refactoring needed | cleanup | 技术债务 | 技术债 | технический долг |
            техдолг | 技術的負債 | 기술 부채 | dette technique | deuda técnica | dívida técnica | débito técnico |
            technische schulden | teknik borç | nợ kỹ thuật
        Upcoming: next | todo | to do | to-do | planned | backlog | pending | pending tasks | remaining |
            remaining work | remaining tasks | next steps | immediate next steps | upcoming tasks | upcoming work |
            future | future work | what's left | what's left to build | what is left to build | left to build |
            not started | planned tasks | planned features | future enhancements | queue | 待办 | 待办事项 | 待完成 |
            待完成任务 | 未完成 | 计划 | 下一步 | 下一步计划 | 下一步行动 | 后续计划 | 即将进行 | запланировано |
            предстоит | планы | в очереди | осталось сделать | что осталось | что осталось сделать | следующие шаги |
            予定 | 今後の予定 | 未着手 | 残りの作業 | 残作業 | 次のステップ | 예정 | 예정된 작업 | 남은 작업 |
            다음 단계 | 다음 작업 | 할 일 | à faire | à venir | prochaines étapes | reste à faire | planifié |
            pendiente | pendientes | por hacer | próximos pasos | tareas pendientes | pendente | pendentes | a fazer |
            próximos passos | tarefas pendentes | o que falta | anstehend | geplant | offen | nächste schritte |
            ausstehend | noch zu tun | yapılacak | yapılacaklar | sıradaki | planlanan | bekleyen | sonraki adımlar |
            sắp tới | sắp thực hiện | cần làm | việc cần làm | bước tiếp theo | các bước tiếp theo | kế hoạch |
            kolejne kroki | następne kroki
        Milestones: milestone | phases | roadmap | project phases | timeline | completed milestones |
            pending milestones | upcoming milestones | project milestones | 里程碑 | 阶段 | 路线图 | вехи | этапы |
            дорожная карта | マイルストーン | フェーズ | ロードマップ | 마일스톤 | 단계 | 로드맵 | jalons | étapes |
            phases du projet | hitos | fases | marcos | meilensteine | phasen | kilometre taşları | aşamalar |
            cột mốc | các mốc | giai đoạn | lộ trình""",
}

_LINE = lazy(r"^ {8}(?! )([^:\n]+):(.*(?:\n {12}.*)*)", re.MULTILINE)
_NUMBER = lazy(r"^(?:§ ?)?(?:\d{1,3}(?:\.\d{1,3}){0,3}[.):、]?|[IVX]{1,4}\.)\s+")
_PARENTHESIS = lazy(r"\s*[(（\[]([^()（）\[\]]*)[)）\]]")
_FIRST_PART = lazy(r"(.{2,}?)\s*(?:[:：]|\s[-–—]+\s|--+)")

STATES: Mapping[str, str] = {
    "Completed": "done",
    "In Progress": "in-progress",
    "Known Issues": "issue",
    "Technical Debt": "debt",
    "Upcoming": "upcoming",
    "Open Questions": "question",
    "Blockers": "blocker",
    "Next Steps": "upcoming",
}
"""What an item of a section is when it has no mark of its own."""


def folded(title: str) -> str:
    """A heading for comparing: no capitals, marks or pictures, one space between words."""
    kept = (char if _counts(char) else " " for char in unicodedata.normalize("NFC", title).lower())
    return " ".join("".join(kept).replace("’", "'").split())


def _counts(char: str) -> bool:
    return (unicodedata.category(char)[0] in "LNM" and char not in "\ufe0f\u200d") or char in "'’/&-"


@cache
def _known(file: str) -> Mapping[str, str]:
    """The names of a layer's sections, folded, with the template's name of each."""
    names: dict[str, str] = {}
    for match in _LINE.finditer(_TABLES.get(file, "")):
        for name in (match[1], *match[2].split("|")):
            names.setdefault(folded(name), match[1])
    return names


_ORDER: Mapping[str, tuple[str, ...]] = {
    "activeContext.md": ("activeContext.md", "progress.md"),
    "progress.md": ("progress.md", "activeContext.md"),
}


def canonical(title: str, layer: Layer | None) -> str | None:
    """The template's section that a heading stands for in a layer; other files have those of progress and context."""
    tables = _ORDER.get(layer.file, (layer.file,)) if layer else ("progress.md", "activeContext.md")
    for spelling in _spellings(title):
        for file in tables:
            if spelling in _known(file):
                return _known(file)[spelling]
    return None


def of_layer(title: str, layer: Layer) -> str | None:
    """The same, but only a section of this layer's own template."""
    known = _known(layer.file)
    return next((known[spelling] for spelling in _spellings(title) if spelling in known), None)


def _spellings(title: str) -> Iterator[str]:
    """A heading whole, without its number; without what is in parentheses; what is in them; what is before a colon."""
    bare = _NUMBER.sub("", title.strip().strip("*_ "))
    yield folded(bare)
    outside = _PARENTHESIS.sub("", bare)
    if outside != bare:
        yield folded(outside)
        yield from (folded(match[1]) for match in _PARENTHESIS.finditer(bare))
    first = _FIRST_PART.match(outside)
    if first:
        yield folded(first[1])


def resembles(title: str, layer: Layer) -> bool:
    """Whether a heading has one of the names of the layer's sections in it, among other words."""
    words = f" {folded(title)} "
    return any(
        f" {name} " in words if name.isascii() else name in words for name in _known(layer.file) if len(name) > 2
    )
